#include "app/options/inspect_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_inspect_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<InspectOptions>();
  auto& command = add_command(program, "inspect", "Describe a model file or a checkpoint", options->common);
  add_option(command,
             {.help = "describe a model file, a checkpoint, or the model of a finished run",
              .flag = "file",
              .placeholder = "FILE-OR-DIR"},
             options->file)
      ->required();
  add_json(command, options->json);
  finish_command(command, "gloss inspect runs/en-de\ngloss inspect model.safetensors --json");
  command.callback([options, &chosen] { chosen = Parsed<InspectOptions>(options); });
}

}  // namespace gloss
