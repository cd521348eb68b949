#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <unistd.h>

#include "app/command_options.h"
#include "app/commands.h"
#include "app/line_source.h"
#include "app/patient_translation.h"
#include "app/standard_output.h"
#include "common/log.h"
#include "common/signals.h"
#include "common/utf8.h"
#include "pipeline/translation_model.h"

namespace gloss {
namespace {

struct TranslateOptions {
  CommonOptions common;
  std::filesystem::path model;
  std::optional<std::int64_t> beam_size, n_best, max_length, min_length, batch_size;
  std::optional<double> length_penalty, patience;
  std::optional<LengthPenaltyKind> length_penalty_kind;
  std::optional<WeightPrecision> precision;
};

/// Enough lines at once for batches of sentences of like length, few enough to stop soon.
constexpr std::int64_t kBatchesAtOnce = 4;

/// The model's settings with what the command line says in their place. Only here is it known what goes together:
/// throws UsageError that names what was typed as it was typed, and the rest as the run file does.
DecodingConfig decoding_config(const TranslateOptions& options, DecodingConfig config) {
  OptionNames typed;
  const auto take = [&](auto& value, const auto& given, const char* key, const char* option) {
    if (!given) return;
    value = *given;
    typed[key] = option;
  };
  config.n_best = 1;  // one line out for each line in, unless --n-best is typed
  take(config.n_best, options.n_best, "decoding.n_best", "--n-best");
  take(config.beam_size, options.beam_size, "decoding.beam_size", "--beam");
  take(config.max_length, options.max_length, "decoding.max_length", "--max-length");
  take(config.min_length, options.min_length, "decoding.min_length", "--min-length");
  take(config.batch_size, options.batch_size, "decoding.batch_size", "--batch-size");
  take(config.length_penalty, options.length_penalty, "decoding.length_penalty", "--length-penalty");
  take(config.length_penalty_kind, options.length_penalty_kind, "decoding.length_penalty_kind",
       "--length-penalty-kind");
  take(config.patience, options.patience, "decoding.patience", "--patience");
  name_by_option(typed, [&] { config.validate(); });
  return config;
}

/// Warns of the first lines of which something is true, and says at the end how many there were.
class LineWarning {
 public:
  explicit LineWarning(std::string what) : what_(std::move(what)) {}

  void add(std::int64_t line) {
    if (++count_ <= kShown) log_warning("line " + std::to_string(line) + ": " + what_);
  }
  void finish() const {
    if (count_ > kShown) log_warning("in all " + std::to_string(count_) + " lines: " + what_);
  }

 private:
  static constexpr std::int64_t kShown = 5;
  std::string what_;
  std::int64_t count_ = 0;
};

/// Says on stderr which lines were not translated as they stand.
class Complaints {
 public:
  void look_at(std::int64_t line, const TextLine& input, const std::optional<Translator::Translation>& translation) {
    if (!is_text(input.text)) broken_.add(line);
    if (input.cut || (translation && translation->truncated)) truncated_.add(line);
    if (translation) return;
    log_error("line " + std::to_string(line) +
              ": out of memory; its translation is an empty line; use a smaller --beam or --max-length");
    complete_ = false;
  }
  ExitCode finish() const {
    broken_.finish();
    truncated_.finish();
    return complete_ ? ExitCode::kDone : ExitCode::kOutOfMemory;
  }

 private:
  LineWarning broken_{"is not valid UTF-8; what is broken is read as U+FFFD"};
  LineWarning truncated_{"is too long; only its beginning is translated"};
  bool complete_ = true;
};

std::string n_best_lines(std::int64_t line, const std::vector<Translator::Translation::Candidate>& candidates) {
  std::string lines;
  for (const auto& [text, hypothesis] : candidates) {
    std::array<char, 32> score{};
    std::snprintf(score.data(), score.size(), "%.6f", hypothesis.score);
    lines += std::to_string(line) + " ||| " + text + " ||| " + score.data() + '\n';
  }
  return lines;
}

ExitCode translate(const TranslateOptions& options) {
  const StopOnSignal stop;
  const auto machine = set_up(options.common);
  const auto model = load_translation_model(options.model, machine.device);
  const auto decoding = decoding_config(options, model.config.decoding);
  const auto translator = model.translator(options.precision);
  if (::isatty(STDIN_FILENO)) log_info("type a sentence and press Enter; Ctrl-D ends");

  Complaints complaints;
  const Translator::Translation nothing{.candidates = {{}}};
  LineSource source(STDIN_FILENO, "stdin");
  std::int64_t line = 0;  // number of the last line translated, from 1
  for (;;) {
    const auto input = source.next(static_cast<std::size_t>(kBatchesAtOnce * decoding.batch_size));
    if (input.empty()) break;
    std::vector<std::string> texts;
    for (const auto& line_of_input : input) texts.push_back(line_of_input.text);
    const auto translations = translate_patiently(
        texts, [&](std::span<const std::string> some) { return translator.translate(some, decoding); });
    std::string output;
    for (std::size_t i = 0; i < input.size(); ++i) {
      complaints.look_at(++line, input[i], translations[i]);
      const auto& candidates = (translations[i] ? *translations[i] : nothing).candidates;
      output += options.n_best ? n_best_lines(line, candidates) : candidates.front().text + '\n';
    }
    write_result(output);
  }
  const auto exit_code = complaints.finish();
  return stop_requested().value_or(exit_code);
}

}  // namespace

void add_translate_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<TranslateOptions>();
  auto& command =
      add_command(program, "translate", "Translate stdin, one line in, one line out, in order", options->common);
  add_path(command, {"--model", "FILE-OR-DIR", "a model file, or the folder of a finished run"}, options->model)
      ->required();
  add_whole_number(command, {"--beam", "N", "beam size; 1 is greedy (default: the model's decoding.beam_size)"},
                   options->beam_size, {1, DecodingConfig::kLargestBeam});
  add_whole_number(command, {"--n-best", "N", "print the N best as `line-number ||| text ||| score`, lines from 1"},
                   options->n_best, {1, DecodingConfig::kLargestBeam});
  add_number(command, {"--length-penalty", "X", "0 ranks by plain sums of log-probabilities"}, options->length_penalty,
             {0, DecodingConfig::kLargestLengthPenalty});
  add_choice<std::optional<LengthPenaltyKind>, LengthPenaltyKind>(
      command, {"--length-penalty-kind", "KIND", "power: length^X; gnmt: ((5 + length) / 6)^X"},
      options->length_penalty_kind, {{"power", LengthPenaltyKind::kPower}, {"gnmt", LengthPenaltyKind::kGnmt}});
  add_number(command, {"--patience", "X", "a sentence is done with beam size times X finished translations"},
             options->patience, {0, DecodingConfig::kLargestPatience, true});
  add_whole_number(command, {"--max-length", "N", "most tokens of a translation"}, options->max_length,
                   {1, DecodingConfig::kLongest});
  add_whole_number(command, {"--min-length", "N", "least tokens of a translation, its end not counted"},
                   options->min_length, {0, DecodingConfig::kLongest});
  add_whole_number(command, {"--batch-size", "N", "sentences searched together"}, options->batch_size,
                   {1, DecodingConfig::kLargestBatch});
  add_choice<std::optional<WeightPrecision>, WeightPrecision>(
      command,
      {"--precision", "NAME",
       "what matrices are multiplied in: float32, bfloat16 or int8 (default: as the model is stored where this "
       "processor is faster so, else float32)"},
      options->precision, {kWeightPrecisions.begin(), kWeightPrecisions.end()});
  finish_command(command, "gloss translate --model runs/copy --beam 5 < input.txt > output.txt");
  command.callback([options, &chosen] { chosen = [options] { return translate(*options); }; });
}

}  // namespace gloss
