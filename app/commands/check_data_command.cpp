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

#include "app/commands/command_options.h"
#include "app/commands/commands.h"
#include "app/output/check_data_text.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "pipeline/check_data.h"
#include "pipeline/doctor/memory_estimate.h"
#include "pipeline/run/read_run_file.h"
#include "pipeline/run/run_files.h"
#include "pipeline/run/run_length.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

struct CheckDataOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> config;
  std::vector<std::string> overrides;
  struct Pair {
    DataSet::Use use;
    std::string prefix;  ///< of the two options
    std::optional<std::filesystem::path> source = {}, target = {};
  };
  std::vector<Pair> pairs = {
      {DataSet::Use::kTraining, "--"}, {DataSet::Use::kValidation, "--valid-"}, {DataSet::Use::kTest, "--test-"}};
  std::optional<std::filesystem::path> tokenizer;
  std::optional<std::int64_t> max_length;
  std::optional<double> max_ratio;
  bool json = false;
};

/// The texts and the tokenizer on the command line or, with `config`, the files that it names.
std::vector<NamedFile> files_read(const CheckDataOptions& options, const std::optional<RunConfig>& config) {
  auto files = config ? files_read(*config) : std::vector<NamedFile>();
  if (options.config) files.push_back({"--config", *options.config});
  for (const auto& [use, prefix, source, target] : options.pairs) {
    if (source) files.push_back({prefix + "source", *source});
    if (target) files.push_back({prefix + "target", *target});
  }
  if (options.tokenizer) files.push_back({"--tokenizer", *options.tokenizer});
  return files;
}

DataCheckOptions what_to_check(const CheckDataOptions& options, const std::optional<RunConfig>& config) {
  DataCheckOptions check;
  if (config) check = data_check_options(*config);
  for (const auto& [use, prefix, source, target] : options.pairs) {
    if (!source) continue;
    expect_file(prefix + "source", *source);
    expect_file(prefix + "target", *target);
    check.sets.push_back({use, *source, *target});
  }
  if (check.sets.empty()) throw UsageError("wanted --config, or --source and --target; see gloss check-data --help");
  if (options.tokenizer) {
    expect_file("--tokenizer", *options.tokenizer);
    check.source_tokenizer = check.target_tokenizer = SentencePieceTokenizer::load(*options.tokenizer);
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
  auto length = estimate_run_length(config, run.text);
  auto warnings = warnings_of(config, length, pieces_of(config, run.vocabularies));
  return {std::move(length), std::move(warnings)};
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

ExitCode check_data_command(const CheckDataOptions& options) {
  std::optional<RunConfig> config;
  if (options.config) config = read_run_config(*options.config, options.overrides);
  set_up(options.common, {files_read(options, config)});
  const auto check = check_data(what_to_check(options, config));
  std::optional<PlannedRun> run;
  if (config && check.usable()) run = plan_run(*config);
  auto json = to_json(check);
  if (run) json["training"] = to_json(*run);
  write_result(options.json ? to_text(json) + '\n' : to_lines(check) + (run ? to_lines(*run) : ""));
  return check.usable() ? ExitCode::kDone : ExitCode::kData;
}

}  // namespace

void add_check_data_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<CheckDataOptions>();
  auto& command =
      add_command(program, "check-data", "Look for what is odd about a corpus before training on it", options->common);
  auto* config = add_path(command, {"--config", "FILE", "the run file whose texts are looked at"}, options->config);
  command.add_option("--set", options->overrides, "set a key of the run file, as data.max_length=100; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->needs(config);
  for (auto& pair : options->pairs) {
    const auto text = use_name(pair.use) + " text";
    auto* source =
        add_path(command, {pair.prefix + "source", "FILE", "the " + text + ", without a run file"}, pair.source);
    auto* target = add_path(command, {pair.prefix + "target", "FILE", "its translations"}, pair.target);
    source->needs(target)->excludes(config);
    target->needs(source)->excludes(config);
  }
  add_path(command, {"--tokenizer", "FILE", "a SentencePiece model: counts pieces, finds unknown characters"},
           options->tokenizer);
  add_whole_number(command,
                   {"--max-length", "N", "pieces of a side, without a tokenizer words (default: data.max_length, 256)"},
                   options->max_length, {1, 1'000'000});
  add_number(command,
             {"--max-ratio", "N", "of the lengths (default: 4 in pieces, without a tokenizer 9 in characters)"},
             options->max_ratio, {1, 1000});
  add_flag(command, "--json", options->json, "one JSON object");
  finish_command(command,
                 "gloss check-data --source train.en --target train.de\n"
                 "gloss check-data --config configs/multi30k_en_de.json --json");
  command.callback([options, &chosen] { chosen = [options] { return check_data_command(*options); }; });
}

}  // namespace gloss
