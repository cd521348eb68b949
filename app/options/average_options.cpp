#include "app/options/average_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_average_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<AverageOptions>();
  auto& command =
      add_command(program, "average", "Write a model whose weights are the mean of several models", options->common);
  add_option(command,
             {.help = "average these model files, or checkpoints in the folder of their run",
              .flag = "file",
              .placeholder = "FILE..."},
             options->files)
      ->required();
  add_option(command, {.help = "write the model to FILE", .flag = "--output"}, options->output)->required();
  add_overwrite(command, options->overwrite);
  finish_command(command,
                 "gloss average runs/en-de/checkpoints/step-*.safetensors --output averaged.safetensors\n"
                 "gloss average first.safetensors second.safetensors --output averaged.safetensors");
  command.callback([options, &chosen] { chosen = Parsed<AverageOptions>(options); });
}

}  // namespace gloss
