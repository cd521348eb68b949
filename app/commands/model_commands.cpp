#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/command_options.h"
#include "app/options/model_options.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "interchange/export/export_model.h"
#include "run/average_models.h"
#include "run/config/run_files.h"
#include "training/checkpoint.h"
#include "translation/models/convert_model.h"

namespace gloss {
namespace {

std::string joined_numbers(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

}  // namespace

ExitCode run(const AverageOptions& options) {
  CommandFiles compared{.inputs = {}, .outputs = {{"--output", options.output}}};
  for (const auto& file : options.files) {
    compared.inputs.push_back({"FILE", file});
    // A checkpoint is averaged with the configuration and the tokenizers of its run.
    const auto run = std::filesystem::absolute(file).parent_path().parent_path();
    if (checkpoint_step(file.filename().string()))
      for (const auto& beside : run_outputs(run, true).kept) compared.inputs.push_back(beside);
  }
  set_up(options.common, compared);
  for (const auto& file : options.files)
    expect_input_file("FILE", file, "model files or checkpoints, as runs/en-de/checkpoints/step-*.safetensors");
  expect_output_file("--output", options.output, "the name of a model file to write", options.overwrite);
  const auto steps = average_models(options.files, options.output);
  log_info((steps.size() == 1 ? "wrote the weights of one file to "
                              : "wrote the mean of " + counted(steps.size(), "file") + " to ") +
           printable(options.output.string()) + ", after steps " + joined_numbers(steps));
  return ExitCode::kDone;
}

ExitCode run(const ConvertOptions& options) {
  set_up(options.common, {model_inputs({options.model}), {{"--output", options.output}}});
  expect_output_file("--output", options.output, "the name of a model file to write", options.overwrite);
  FileSizes sizes;
  name_by_option(translation_names(), [&] { sizes = convert_model(options.model, options.precision, options.output); });
  log_info("wrote " + printable(options.output.string()) + ", " + bytes_text(sizes.after) + "; " +
           printable(options.model.string()) + " has " + bytes_text(sizes.before));
  return ExitCode::kDone;
}

ExitCode run(const ExportOptions& options) {
  set_up(options.common, {model_inputs({options.model}), {{"--output", options.output}}});
  std::uintmax_t bytes = 0;
  name_by_option(translation_names(), [&] {
    bytes = export_model({.model = options.model,
                          .format = options.format,
                          .precision = options.precision,
                          .output = options.output,
                          .overwrite = options.overwrite});
  });
  log_info("wrote " + printable(options.output.string()) + ", " + bytes_text(bytes) +
           "; its README.md has the program to translate with");
  return ExitCode::kDone;
}

}  // namespace gloss
