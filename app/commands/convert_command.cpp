#include <filesystem>
#include <memory>
#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/commands/command_options.h"
#include "app/commands/commands.h"
#include "common/error.h"
#include "common/log.h"
#include "common/text/formatted.h"
#include "pipeline/models/convert_model.h"

namespace gloss {
namespace {

struct ConvertOptions {
  CommonOptions common;
  std::filesystem::path model, output;
  WeightPrecision precision = WeightPrecision::kFloat32;
  bool overwrite = false;
};

ExitCode convert(const ConvertOptions& options) {
  set_up(options.common, {model_inputs({options.model}), {{"--output", options.output}}});
  if (!options.overwrite) expect_new_file("--output", options.output);
  const auto [before, after] = convert_model(options.model, options.precision, options.output);
  log_info("wrote " + printable(options.output.string()) + ", " + bytes_text(after) + "; " +
           printable(options.model.string()) + " has " + bytes_text(before));
  return ExitCode::kDone;
}

}  // namespace

void add_convert_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<ConvertOptions>();
  auto& command = add_command(program, "convert",
                              "Write a model with its matrices in another precision: smaller, and "
                              "faster where the processor multiplies so",
                              options->common);
  add_path(command, {"--model", "FILE-OR-DIR", "a model file, or the folder of a finished run"}, options->model)
      ->required();
  add_choice<WeightPrecision, WeightPrecision>(
      command, {"--precision", "NAME", "float32, bfloat16 (half the size) or int8 (a quarter)"}, options->precision,
      {kWeightPrecisions.begin(), kWeightPrecisions.end()})
      ->required();
  add_path(command, {"--output", "FILE", "the model file to write"}, options->output)->required();
  add_overwrite(command, options->overwrite);
  finish_command(command,
                 "gloss convert --model runs/en-de --precision int8 --output en-de.int8.safetensors\n"
                 "gloss convert --model runs/en-de --precision bfloat16 --output en-de.bf16.safetensors");
  command.callback([options, &chosen] { chosen = [options] { return convert(*options); }; });
}

}  // namespace gloss
