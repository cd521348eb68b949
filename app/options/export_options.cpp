#include "app/options/export_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_export_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ExportOptions>();
  auto& command =
      add_command(program, "export", "Write a model in the format of another program, with a README", options->common);
  add_option(command,
             {.help = "export a model file or the model of a finished run",
              .flag = kModelOption,
              .placeholder = "FILE-OR-DIR"},
             options->model)
      ->required();
  add_choice(command, {.help = "write the format of this program", .flag = "--to"}, options->format, kExportFormats)
      ->required();
  add_option(command, {.help = "write the files to a new folder DIR", .flag = "--output", .placeholder = "DIR"},
             options->output)
      ->required();
  add_choice(command,
             {.help = "store matrices in this precision; huggingface has no int8, marian has only float32",
              .flag = "--precision",
              .shown_default = "float32"},
             options->precision, kWeightPrecisions);
  add_option(command, {.help = "replace the folder if an earlier export wrote it", .flag = "--overwrite"},
             options->overwrite);
  finish_command(command,
                 "gloss export --model runs/en-de --to ctranslate2 --precision int8 --output en-de.ct2\n"
                 "gloss export --model runs/en-de --to huggingface --output en-de.hf");
  command.callback([options, &chosen] { chosen = Parsed<ExportOptions>(options); });
}

}  // namespace gloss
