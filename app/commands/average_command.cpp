#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/commands/command_options.h"
#include "app/commands/commands.h"
#include "common/error.h"
#include "common/log.h"
#include "pipeline/models/average_models.h"
#include "pipeline/run/run_files.h"
#include "training/checkpoint_name.h"

namespace gloss {
namespace {

struct AverageOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  bool overwrite = false;
};

std::string joined_numbers(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

ExitCode average(const AverageOptions& options) {
  CommandFiles compared{.inputs = {}, .outputs = {{"--output", options.output}}};
  for (const auto& file : options.files) {
    compared.inputs.push_back({"FILE", file});
    // A checkpoint is averaged with the configuration and the tokenizers of its run.
    const auto run = std::filesystem::absolute(file).parent_path().parent_path();
    if (checkpoint_step(file.filename().string()))
      for (const auto& beside : run_outputs(run, true).kept) compared.inputs.push_back(beside);
  }
  set_up(options.common, compared);
  for (const auto& file : options.files) expect_file("FILE", file);
  if (!options.overwrite) expect_new_file("--output", options.output);
  const auto steps = average_models(options.files, options.output);
  log_info((steps.size() == 1 ? "wrote the weights of one file to "
                              : "wrote the mean of " + std::to_string(steps.size()) + " files to ") +
           printable(options.output.string()) + ", after steps " + joined_numbers(steps));
  return ExitCode::kDone;
}

}  // namespace

void add_average_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<AverageOptions>();
  auto& command =
      add_command(program, "average", "Write a model whose weights are the mean of several", options->common);
  command.add_option("file", options->files, "model files, or checkpoints in the folder of their run")
      ->type_name("FILE...")
      ->required();
  add_path(command, {"--output", "FILE", "the model file to write"}, options->output)->required();
  add_overwrite(command, options->overwrite);
  finish_command(command,
                 "gloss average runs/en-de/checkpoints/step-*.safetensors --output averaged.safetensors\n"
                 "gloss average first.safetensors second.safetensors --output averaged.safetensors");
  command.callback([options, &chosen] { chosen = [options] { return average(*options); }; });
}

}  // namespace gloss
