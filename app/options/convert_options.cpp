#include "app/options/convert_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_convert_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ConvertOptions>();
  auto& command =
      add_command(program, "convert", "Write a model with its matrices in another precision", options->common);
  add_option(command,
             {.help = "convert a model file or the model of a finished run",
              .flag = kModelOption,
              .placeholder = "FILE-OR-DIR"},
             options->model)
      ->required();
  add_choice(
      command,
      {.help = "store matrices in this precision; bfloat16 halves the size, int8 quarters it", .flag = "--precision"},
      options->precision, kWeightPrecisions)
      ->required();
  add_option(command, {.help = "write the model to FILE", .flag = "--output"}, options->output)->required();
  add_overwrite(command, options->overwrite);
  finish_command(command,
                 "gloss convert --model runs/en-de --precision int8 --output en-de.int8.safetensors\n"
                 "gloss convert --model runs/en-de --precision bfloat16 --output en-de.bf16.safetensors");
  command.callback([options, &chosen] { chosen = Parsed<ConvertOptions>(options); });
}

}  // namespace gloss
