#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/input/line_source.h"
#include "app/options/preparation_options.h"
#include "app/output/preparation_text.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/log/log.h"
#include "common/system/signals.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "data/built_in_corpus.h"
#include "data/demo_corpus.h"
#include "run/check_data.h"
#include "run/config/read_run_file.h"
#include "run/config/run_files.h"
#include "run/doctor/machine_report.h"
#include "run/doctor/run_remarks.h"
#include "run/estimate/run_length.h"
#include "run/estimate/training_needs.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/train_tokenizer.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

std::vector<NamedFile> files_written(const std::filesystem::path& folder, bool demo) {
  std::vector<NamedFile> files;
  for (const std::string part : {"train", "valid", "test"})
    for (const auto* side : {".source", ".target"}) files.push_back({"--out", folder / (part + side)});
  if (demo) files.push_back({"--out", folder / "test.constructions"});
  return files;
}

/// Throws UsageError if one of the files exists.
void expect_new_files(const std::vector<NamedFile>& files) {
  for (const auto& [option, path] : files)
    if (std::filesystem::exists(path))
      throw UsageError(option + ": there is a " + printable(path.string()) +
                       " already; give another folder, or --overwrite to replace it");
}

void make_demo(const MakeCorpusOptions& options) {
  if (options.words || options.max_words)
    throw UsageError(std::string(options.words ? "--words" : "--max-words") +
                     ": wanted only with copy or reverse, got it with demo");
  DemoCorpusOptions corpus{.seed = options.seed};
  if (options.size) corpus.size = *options.size;
  if (options.pair) std::tie(corpus.source, corpus.target) = *options.pair;
  make_demo_corpus(corpus, options.out);
}

void make_copy(const MakeCorpusOptions& options) {
  if (options.pair) throw UsageError("--pair: wanted only with demo, got it with copy or reverse");
  BuiltInCorpusOptions corpus{
      .kind = options.kind == CorpusKind::kCopy ? BuiltInCorpus::kCopy : BuiltInCorpus::kReverse, .seed = options.seed};
  if (options.size) corpus.size = *options.size;
  if (options.words) corpus.words = *options.words;
  if (options.max_words) corpus.max_words = *options.max_words;
  make_built_in_corpus(corpus, options.out);
}

constexpr std::size_t kLinesAtOnce = 1024;

/// Converts every line of stdin with `convert`, which also receives the line's number.
template <typename Convert>
ExitCode convert_lines(Convert convert) {
  const StopOnSignal stop(kSecondsToStop);
  LineSource source(STDIN_FILENO, TextPath{"stdin"});
  for (std::int64_t line = 0;;) {
    const auto input = source.next(kLinesAtOnce);
    if (input.empty()) return stop_requested().value_or(ExitCode::kDone);
    std::string output;
    for (const auto& [text, cut, crlf, has_end] : input) {
      if (++line; cut) log_warning("line " + std::to_string(line) + ": is too long; only its beginning is read");
      output += convert(text, line) + '\n';
    }
    write_result(output);
  }
}

std::shared_ptr<const Tokenizer> tokenizer_of(const ConvertLinesOptions& options) {
  set_up(options.common, {{{"--model", options.model}, standard_input()}});
  expect_input_file("--model", options.model, "a SentencePiece model, as runs/en-de/tokenizer.model");
  return load_tokenizer(options.model);
}

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

/// Returns the needs of training. Updates are tried only if the needs that follow from shapes leave some memory free.
TrainingNeeds needs_of(const RunConfig& config, const ForeseenRun& run, const MachineReport& machine) {
  const auto known = training_needs(config, run);
  return known.memory() < machine.free_memory ? try_training(config, run, machine.free_memory) : known;
}

}  // namespace

ExitCode run(const MakeCorpusOptions& options) {
  const bool demo = options.kind == CorpusKind::kDemo;
  const auto files = files_written(options.out, demo);
  set_up(options.common, {{}, files});
  if (!options.overwrite) expect_new_files(files);
  name_by_option({{"size", "--size"}, {"words", "--words"}, {"max_words", "--max-words"}},
                 [&] { demo ? make_demo(options) : make_copy(options); });
  log_info("wrote {train,valid,test}.{source,target}" + std::string(demo ? " and test.constructions" : "") + " to " +
           printable(options.out.string()));
  return ExitCode::kDone;
}

ExitCode run(const TrainTokenizerOptions& options) {
  CommandFiles compared{.inputs = {}, .outputs = {{"--output", options.output}}};
  for (const auto& file : options.input) compared.inputs.push_back({"--input", file});
  set_up(options.common, compared);
  for (const auto& file : options.input) expect_input_file("--input", file, "text files");
  expect_output_file("--output", options.output, "the name of a model file to write", options.overwrite);
  const auto config = options.given.over(tokenizer_settings(), TokenizerConfig());
  std::int64_t pieces = 0;
  name_by_option(options.given.names(), [&] {
    const auto model = train_tokenizer(options.input, config);
    write_file(options.output, model);
    pieces = SentencePieceTokenizer(model, options.output.string()).vocabulary_size();
  });
  log_info("wrote " + printable(options.output.string()) + ", " + std::to_string(pieces) + " pieces");
  return ExitCode::kDone;
}

ExitCode run(const EncodeOptions& options) {
  const auto tokenizer = tokenizer_of(options);
  return convert_lines([&](const std::string& text, std::int64_t) {
    std::string pieces;
    for (const auto id : tokenizer->encode(repair_utf8(text))) {
      if (!pieces.empty()) pieces += ' ';
      pieces += tokenizer->piece(id);
    }
    return pieces;
  });
}

ExitCode run(const DecodeOptions& options) {
  const auto tokenizer = tokenizer_of(options);
  std::unordered_map<std::string, Id> ids;
  for (Id id = 0; id < tokenizer->vocabulary_size(); ++id) ids.emplace(tokenizer->piece(id), id);
  return convert_lines([&](const std::string& text, std::int64_t line) {
    Ids pieces;
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find(' ', begin), text.size());
      const auto piece = text.substr(begin, end - begin);
      begin = end + 1;
      if (piece.empty()) continue;
      const auto id = ids.find(piece);
      if (id == ids.end())
        throw DataError("line " + std::to_string(line) + ": wanted pieces of " + printable(options.model.string()) +
                        ", got " + printable(piece));
      pieces.push_back(id->second);
    }
    return tokenizer->decode(pieces);
  });
}

ExitCode run(const CheckDataOptions& options) {
  std::optional<RunConfig> config;
  if (options.config) config = read_run_config(*options.config, options.overrides);
  set_up(options.common, {files_read(options, config)});
  const auto check = check_data(what_to_check(options, config));
  auto json = to_json(check);
  auto lines = to_lines(check);
  if (config && check.usable()) {  // the run that the texts are for
    const auto run = foresee(*config);
    const auto length = estimate_run_length(*config, run.text);
    const auto warnings = warnings_of(*config, length, pieces_of(*config, run.vocabularies));
    json["training"] = to_json(length);
    json["training"]["warnings"] = warnings;
    lines += "updates of the weights: " + updates_text(length) + '\n';
    for (const auto& warning : warnings) lines += "warning: " + warning + '\n';
  }
  write_report(options.json ? to_text(json) + '\n' : lines);
  return check.usable() ? ExitCode::kDone : ExitCode::kData;
}

ExitCode run(const DoctorOptions& options) {
  std::optional<RunConfig> config;
  std::vector<NamedFile> inputs;
  if (options.config) {
    config = read_run_config(*options.config, options.overrides);
    inputs = files_read(*config);
    inputs.push_back({"--config", *options.config});
  }
  const auto here = set_up(options.common, {std::move(inputs)});
  const auto machine = examine_machine(here.threads);
  auto remarks = remarks_on(machine);
  std::optional<RunNeeds> run;
  if (config) {
    const auto out = options.out.value_or("runs" / options.config->stem());
    try {
      expect_precision(config->training.precision, here.device, /*plain=*/false);
    } catch (const UsageError& fault) {
      remarks.push_back({fault.what(), ExitCode::kUsage});
    }
    const auto foreseen = foresee(*config);
    run = RunNeeds{needs_of(*config, foreseen, machine), out, free_disk(out),
                   estimate_run_length(*config, foreseen.text)};
    for (auto& remark : remarks_on(*run, machine)) remarks.push_back(std::move(remark));
    for (auto& warning : warnings_of(*config, run->length, pieces_of(*config, foreseen.vocabularies)))
      remarks.push_back({std::move(warning)});
  }
  Json json{{"machine", to_json(machine)}, {"remarks", to_json(remarks)}};
  if (run) {
    json["training"] = to_json(run->training);
    json["training"]["disk_free"] = run->disk_free;
    json["training"].update(to_json(run->length));
  }
  write_report(options.json ? to_text(json) + '\n' : to_lines(machine, run, remarks));
  for (const auto& remark : remarks)
    if (remark.failure) return *remark.failure;
  return ExitCode::kDone;
}

}  // namespace gloss
