#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/command_options.h"
#include "app/commands.h"
#include "app/score_text.h"
#include "app/standard_output.h"
#include "common/signals.h"
#include "pipeline/run_files.h"
#include "pipeline/train_translate.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxSamples = 100;

struct TrainTranslateCommandOptions {
  CommonOptions common;
  std::filesystem::path config;
  std::vector<std::string> overrides;
  std::optional<std::filesystem::path> out;
  std::optional<std::int64_t> seed;
  bool resume = false;
  bool overwrite = false;
  std::size_t samples = 1;
};

/// A run that resumes keeps its own configuration and tokenizers, which nothing else may be written to.
CommandFiles files_of(const TrainTranslateCommandOptions& options, const RunConfig& config,
                      const std::filesystem::path& out) {
  auto [written, kept] = run_outputs(out, options.resume);
  CommandFiles files{.inputs = files_read(config), .outputs = std::move(written)};
  files.inputs.push_back({"--config", options.config});
  files.inputs.insert(files.inputs.end(), kept.begin(), kept.end());
  return files;
}

ExitCode train_translator(const TrainTranslateCommandOptions& options) {
  const StopOnSignal stop;
  const auto out = options.out.value_or("runs" / options.config.stem());
  const auto config = read_run_config(options.config, options.overrides, options.resume ? out : "");
  const auto machine = set_up(options.common, files_of(options, config, out));
  TrainTranslateOptions training{.config = config,
                                 .out = out,
                                 .resume = options.resume,
                                 .overwrite = options.overwrite,
                                 .device = machine.device,
                                 .threads = machine.threads,
                                 .samples = options.samples};
  training.config.seed = options.seed.value_or(training.config.seed);
  const auto result = train_translate(training);
  if (result.test) write_result(to_lines(*result.test));
  if (result.end == TrainingEnd::kStopped) return stop_requested().value_or(ExitCode::kFault);
  return ExitCode::kDone;
}

}  // namespace

void add_train_translate_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<TrainTranslateCommandOptions>();
  auto& command = add_command(program, "train-translate",
                              "Train a translator on two aligned text files, and score it where there is a test set",
                              options->common);
  command.alias("train");
  add_path(command, {"--config", "FILE", "the run file: what to train on, which model, for how long"}, options->config)
      ->required();
  command.add_option("--set", options->overrides, "set a key of the run file, as training.max_steps=100; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_path(command, {"--out", "DIR", "the run folder (default: runs/ and the run file's name)"}, options->out);
  add_whole_number(command, {"--seed", "N", "the seed of everything random, in place of the run file's"}, options->seed,
                   {});
  auto* resume = add_flag(command, "--resume", options->resume, "go on from the folder's newest checkpoint");
  add_flag(command, "--overwrite", options->overwrite, "remove what an earlier run left in the folder")
      ->excludes(resume);
  add_whole_number(
      command,
      {"--samples", "N",
       "samples to print after each validation, 0 to 100, cut to the width of a terminal (default: 1); the "
       "log has three at least, in full"},
      options->samples, {0, kMaxSamples});
  finish_command(command,
                 "gloss train-translate --config configs/copy.json --set training.max_steps=500 --out runs/copy");
  command.callback([options, &chosen] { chosen = [options] { return train_translator(*options); }; });
}

}  // namespace gloss
