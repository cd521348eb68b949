#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/train_translate_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/system/machine.h"
#include "common/system/process_place.h"
#include "common/system/signals.h"
#include "common/text/format.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "evaluation/bleu/bleu.h"
#include "explain/lens_item.h"
#include "run/config/read_run_file.h"
#include "run/config/run_files.h"
#include "run/run_processes.h"
#include "run/train_translate.h"
#include "training/processes/process_group.h"

namespace gloss {
namespace {

using DataFiles = std::vector<std::pair<std::string, std::filesystem::path>>;

DataFiles data_files_of(const TrainTranslateCommandOptions& options) {
  DataFiles files;
  for (const auto& [setting, file] : options.data_files) {
    if (!file) continue;
    expect_input_file(setting->flag, *file);
    files.emplace_back(setting->key, *file);
  }
  return files;
}

/// Returns runs/NAME: the name is that of the run file or, without one, the languages ("en-de") or the name of the
/// source file, with "-further" after them beside --start-from.
std::filesystem::path default_run_folder(const TrainTranslateCommandOptions& options) {
  const std::filesystem::path runs = "runs";
  if (options.config) return runs / options.config->stem();
  const auto &source = options.data_files[0].file, &target = options.data_files[1].file;
  if (!source) return runs / "translator";
  const auto from = language_of_file(*source), to = language_of_file(*target);
  return runs / ((from.empty() || to.empty() ? source->filename().string() : from + '-' + to) +
                 (options.start_from ? "-further" : ""));
}

std::filesystem::path run_folder(const TrainTranslateCommandOptions& options) {
  if (options.resume_folder && options.out &&
      options.out->lexically_normal() != options.resume_folder->lexically_normal())
    throw UsageError("--out: wanted the folder that --resume names, got " + printable(options.out->string()));
  if (options.resume_folder) return *options.resume_folder;
  return options.out ? *options.out : default_run_folder(options);
}

/// Throws UsageError if --set sets a key that is also set by its own option.
void expect_set_once(const TrainTranslateCommandOptions& options) {
  const auto refuse = [&](const std::string& key, const std::string& option) {
    for (const auto& text : options.overrides)
      if (text.substr(0, text.find('=')) == key)
        throw UsageError("--set " + key + ": wanted once, got " + option + " beside it");
  };
  for (const auto& file : options.data_files)
    if (file.file) refuse("data." + std::string(file.setting->key), std::string(file.setting->flag));
  if (options.given.has("seed")) refuse("seed", "--seed");
  if (options.start_from) refuse("training.start_from", "--start-from");
}

RunFile read_run(const TrainTranslateCommandOptions& options, const std::filesystem::path& out) {
  expect_set_once(options);
  const auto data_files = data_files_of(options);
  auto overrides = options.overrides;
  if (options.start_from)
    overrides.push_back("training.start_from=" +
                        to_text(Json(std::filesystem::absolute(*options.start_from).string())));
  RunFileSource source{.overrides = overrides, .data_files = data_files};
  if (options.resume) source.run_folder = out;
  if (options.config) {
    source.path = *options.config;
  } else if (options.resume) {
    source.path = out / "config.json";
    source.base = std::filesystem::current_path();
    if (!std::filesystem::exists(source.path))
      throw UsageError(
          "--resume: " +
          (options.resume_folder || options.out ? printable(out.string()) + " holds no run; name" : "wanted") +
          " the folder of a run, as --resume runs/first");
  } else if (!options.data_files[0].file) {
    throw UsageError(
        "wanted --source and --target, or --config, or --resume with the folder of a run; see gloss train-translate "
        "--help");
  }
  return read_run_file(source);
}

/// Returns the run's inputs and outputs. The kept configuration and tokenizers of a resumed run count as inputs, so
/// that no output overwrites them.
CommandFiles files_of(const TrainTranslateCommandOptions& options, const RunConfig& config,
                      const std::filesystem::path& out) {
  auto [written, kept] = run_outputs(out, options.resume);
  CommandFiles files{.inputs = files_read(config), .outputs = std::move(written)};
  if (options.config) files.inputs.push_back({"--config", *options.config});
  files.inputs.insert(files.inputs.end(), kept.begin(), kept.end());
  return files;
}

/// Returns the options that a command must repeat to continue the run with the same bits, each after a space.
std::string resume_options(const TrainTranslateCommandOptions& options) {
  const CommonOptions defaults;
  const auto& common = options.common;
  return (common.threads != defaults.threads ? " --threads " + std::to_string(common.threads) : "") +
         (options.processes != 1 ? " --processes " + std::to_string(options.processes) : "") +
         (common.device != defaults.device ? " --device " + common.device : "") + (options.plain ? " --plain" : "");
}

/// Returns the place of this process in the run; empty for a single process. Throws UsageError if --processes differs
/// from the number of processes that were started.
std::optional<ProcessPlace> place_of(const TrainTranslateCommandOptions& options) {
  const auto place = process_place();
  if (place && options.processes != 1 && options.processes != place->size)
    throw UsageError("--processes: wanted the " + std::to_string(place->size) +
                     " processes that WORLD_SIZE or another variable names, got " + std::to_string(options.processes));
  return place;
}

/// Returns the common options of this process. Only process 0 prints messages other than warnings and writes the log
/// file.
CommonOptions common_options(const CommonOptions& given, const std::optional<ProcessPlace>& place) {
  if (!place) return given;
  auto common = given;
  if (common.threads == 0) common.threads = default_threads(*place, available_processors(), online_processors());
  if (place->rank == 0) return common;
  common.log.quiet = true;
  common.log.json_file.reset();
  common.log.process = "process " + std::to_string(place->rank) + ": ";
  return common;
}

/// The run and the machine, after the options were checked.
struct Prepared {
  RunFile run;
  Machine machine;
};

Prepared prepare(const TrainTranslateCommandOptions& options, const std::optional<ProcessPlace>& place,
                 const std::filesystem::path& out) {
  auto run = read_run(options, out);
  const auto machine = set_up(common_options(options.common, place), files_of(options, run.config, out), place);
  if (place && machine.device.is_cuda()) set_up_gpu_exchange(*place, machine.device);
  return {std::move(run), machine};
}

/// Returns whether process 0 finds and reports the same errors in files and options, since it runs on the same machine.
bool repeats_process_0(const std::optional<ProcessPlace>& place) {
  return place && place->rank > 0 && place->local_size == place->size;
}

}  // namespace

ExitCode run(const TrainTranslateCommandOptions& options) {
  const StopOnSignal stop;
  const auto place = place_of(options);
  if (!place && options.processes > 1) return run_local_processes(options.processes);
  follow_starter();
  std::optional<Prepared> prepared;
  const auto out = run_folder(options);
  try {
    prepared = prepare(options, place, out);
  } catch (const Error& error) {
    const bool is_common = error.exit_code() == ExitCode::kUsage || error.exit_code() == ExitCode::kData;
    if (is_common && repeats_process_0(place)) return error.exit_code();
    throw;
  }
  auto& [run, machine] = *prepared;
  std::optional<ProcessGroup> processes;
  if (place) processes.emplace(*place, machine.device);
  TrainTranslateOptions training{.config = run.config,
                                 .texts = run.texts,
                                 .out = out,
                                 .resume = options.resume,
                                 .overwrite = options.overwrite,
                                 .device = machine.device,
                                 .threads = machine.threads,
                                 .exchange = processes ? &*processes : &no_exchange(),
                                 .local_processes = place ? place->local_size : 1,
                                 .samples = options.samples,
                                 .notes = chosen_lines(run.chosen, run.text),
                                 .describe = lens_item,
                                 .resume_options = resume_options(options)};
  training.config = options.given.over(top_settings(), training.config);
  training.config.plain = options.plain;
  TrainTranslateResult result;
  try {
    result = train_translate(training);
  } catch (const ReportedError& error) {
    return error.exit_code();
  }
  if (processes) processes->leave();
  if (result.test)
    write_report(formatted("BLEU = %.2f\n", result.test->score) + bleu_signature(result.test->tokenizer) + '\n');
  if (result.end == TrainingEnd::kStopped) return stop_requested().value_or(ExitCode::kFault);
  return ExitCode::kDone;
}

}  // namespace gloss
