#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/average_options.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/text/counted.h"
#include "common/text/printable.h"
#include "run/average_models.h"
#include "run/config/run_files.h"
#include "training/checkpoint_name.h"

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

}  // namespace gloss
