#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/check_data_options.h"
#include "app/output/check_data_text.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "run/check_data.h"
#include "run/config/read_run_file.h"
#include "run/config/run_files.h"
#include "run/estimate/run_length.h"
#include "run/estimate/training_needs.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

/// Returns the texts and the tokenizer of the command line and, with `config`, the files that the run file names.
std::vector<NamedFile> files_read(const CheckDataOptions& options, const std::optional<RunConfig>& config) {
  auto files = config ? files_read(*config) : std::vector<NamedFile>();
  if (options.config) files.push_back({"--config", *options.config});
  for (const auto* pair : {&options.training, &options.validation, &options.test}) {
    if (pair->source) files.push_back({std::string(pair->source_flag), *pair->source});
    if (pair->target) files.push_back({std::string(pair->target_flag), *pair->target});
  }
  if (options.tokenizer) files.push_back({"--tokenizer", *options.tokenizer});
  return files;
}

DataCheckOptions what_to_check(const CheckDataOptions& options, const std::optional<RunConfig>& config) {
  DataCheckOptions check;
  if (config) check = data_check_options(*config);
  const auto add = [&check](DataSet::Use use, const TextPairOptions& pair) {
    if (!pair.source) return;
    expect_input_file(pair.source_flag, *pair.source);
    expect_input_file(pair.target_flag, *pair.target);
    check.sets.push_back({use, *pair.source, *pair.target});
  };
  add(DataSet::Use::kTraining, options.training);
  add(DataSet::Use::kValidation, options.validation);
  add(DataSet::Use::kTest, options.test);
  if (check.sets.empty()) throw UsageError("wanted --config, or --source and --target; see gloss check-data --help");
  if (options.tokenizer) {
    expect_input_file("--tokenizer", *options.tokenizer);
    check.source_tokenizer = check.target_tokenizer = load_tokenizer(*options.tokenizer);
  }
  check.max_length = options.max_length.value_or(check.max_length);
  check.max_ratio = options.max_ratio;
  return check;
}

/// The run that the texts are for.
struct PlannedRun {
  RunLength length;
  std::vector<std::string> warnings;
};

PlannedRun plan_run(const RunConfig& config) {
  const auto run = foresee(config);
  const auto length = estimate_run_length(config, run.text);
  auto warnings = warnings_of(config, length, pieces_of(config, run.vocabularies));
  return {length, std::move(warnings)};
}

Json to_json(const PlannedRun& run) {
  auto json = to_json(run.length);
  json["warnings"] = run.warnings;
  return json;
}

std::string to_lines(const PlannedRun& run) {
  auto lines = "updates of the weights: " + updates_text(run.length) + '\n';
  for (const auto& warning : run.warnings) lines += "warning: " + warning + '\n';
  return lines;
}

}  // namespace

ExitCode run(const CheckDataOptions& options) {
  std::optional<RunConfig> config;
  if (options.config) config = read_run_config(*options.config, options.overrides);
  set_up(options.common, {files_read(options, config)});
  const auto check = check_data(what_to_check(options, config));
  std::optional<PlannedRun> run;
  if (config && check.usable()) run = plan_run(*config);
  auto json = to_json(check);
  if (run) json["training"] = to_json(*run);
  write_report(options.json ? to_text(json) + '\n' : to_lines(check) + (run ? to_lines(*run) : ""));
  return check.usable() ? ExitCode::kDone : ExitCode::kData;
}

}  // namespace gloss
