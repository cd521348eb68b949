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
#include "app/decoding_options.h"
#include "app/line_prefixes.h"
#include "app/line_source.h"
#include "app/patient_translation.h"
#include "app/standard_output.h"
#include "common/error.h"
#include "common/log.h"
#include "common/signals.h"
#include "common/utf8.h"
#include "data/glossary.h"
#include "pipeline/translation_ensemble.h"

namespace gloss {
namespace {

struct TranslateOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> models;
  std::optional<std::filesystem::path> prefix, glossary;
  DecodingOptions decoding;
  std::optional<WeightPrecision> precision;
};

/// Enough lines at once for batches of sentences of like length, few enough to stop soon.
constexpr std::int64_t kBatchesAtOnce = 4;

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
  void look_at(std::int64_t line, const TextLine& input,
               const std::optional<LineTranslator::Translation>& translation) {
    if (!is_text(input.text)) broken_.add(line);
    if (input.cut || (translation && translation->truncated)) truncated_.add(line);
    if (translation && translation->lacks_phrase) lacking_.add(line);
    if (translation) return;
    log_error("line " + std::to_string(line) +
              ": out of memory; its translation is an empty line; use a smaller --beam or --max-length");
    complete_ = false;
  }
  ExitCode finish() const {
    broken_.finish();
    truncated_.finish();
    lacking_.finish();
    return complete_ ? ExitCode::kDone : ExitCode::kOutOfMemory;
  }

 private:
  LineWarning broken_{"is not valid UTF-8; what is broken is read as U+FFFD"};
  LineWarning truncated_{"is too long; only its beginning is translated"};
  LineWarning lacking_{"its translation has not every phrase of the glossary, for which --max-length has no room"};
  bool complete_ = true;
};

std::string n_best_lines(std::int64_t line, const std::vector<LineTranslator::Translation::Candidate>& candidates) {
  std::string lines;
  for (const auto& [text, hypothesis] : candidates) {
    std::array<char, 32> score{};
    std::snprintf(score.data(), score.size(), "%.6f", hypothesis.score);
    lines += std::to_string(line) + " ||| " + text + " ||| " + score.data() + '\n';
  }
  return lines;
}

std::optional<GlossaryPhrases> read_glossary(const TranslateOptions& options, const DecodingConfig& decoding,
                                             const Tokenizer& target) {
  if (!options.glossary) return std::nullopt;
  if (decoding.sampling.enabled)
    throw UsageError("--glossary: wanted translations that are searched for, but they are drawn (--sample)");
  expect_file("--glossary", *options.glossary);
  return GlossaryPhrases(Glossary::read(*options.glossary), target);
}

ExitCode translate(const TranslateOptions& options) {
  const StopOnSignal stop;
  const auto machine = set_up(options.common);
  const LinePrefixes line_prefixes(options.prefix);
  const auto models = load_translation_ensemble(options.models, machine.device);
  const auto decoding = decoding_config(options.decoding, models.first().config.decoding);
  const auto glossary = read_glossary(options, decoding, *models.first().target_tokenizer);
  const auto translator = models.translator(options.precision);
  if (::isatty(STDIN_FILENO)) log_info("type a sentence and press Enter; Ctrl-D ends");

  Complaints complaints;
  const LineTranslator::Translation nothing{.candidates = {{}}};
  LineSource source(STDIN_FILENO, "stdin");
  std::int64_t line = 0;  // number of the last line translated, from 1
  for (;;) {
    const auto input = source.next(static_cast<std::size_t>(kBatchesAtOnce * decoding.batch_size));
    if (input.empty()) break;
    std::vector<std::string> texts;
    for (const auto& line_of_input : input) texts.push_back(line_of_input.text);
    const auto prefixes = line_prefixes.of(line, texts.size());
    const auto translations = translate_patiently(texts, [&](std::span<const std::string> some) {
      const auto first = some.data() - texts.data();
      const auto theirs = prefixes.empty() ? prefixes : prefixes.subspan(static_cast<std::size_t>(first), some.size());
      return translator.translate({some, theirs, line + first, glossary ? &*glossary : nullptr}, decoding);
    });
    std::string output;
    for (std::size_t i = 0; i < input.size(); ++i) {
      complaints.look_at(++line, input[i], translations[i]);
      const auto& candidates = (translations[i] ? *translations[i] : nothing).candidates;
      output += options.decoding.n_best ? n_best_lines(line, candidates) : candidates.front().text + '\n';
    }
    write_result(output);
  }
  if (!stop_requested()) line_prefixes.expect_end(line);
  const auto exit_code = complaints.finish();
  return stop_requested().value_or(exit_code);
}

}  // namespace

void add_translate_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<TranslateOptions>();
  auto& command =
      add_command(program, "translate", "Translate stdin, one line in, one line out, in order", options->common);
  add_models(command, options->models)->required();
  add_decoding_options(command, options->decoding);
  add_path(command, {"--prefix", "FILE", "what each translation begins with: a line for each line of the input"},
           options->prefix);
  add_path(command,
           {"--glossary", "FILE",
            "phrases that translations must contain: lines of source phrase, tabulator, target phrase"},
           options->glossary);
  add_choice<std::optional<WeightPrecision>, WeightPrecision>(
      command,
      {"--precision", "NAME",
       "what matrices are multiplied in: float32, bfloat16 or int8 (default: as the model is stored where this "
       "processor is faster so, else float32); the lower ones on the CPU only"},
      options->precision, {kWeightPrecisions.begin(), kWeightPrecisions.end()});
  finish_command(command, "gloss translate --model runs/copy --beam 5 < input.txt > output.txt");
  command.callback([options, &chosen] { chosen = [options] { return translate(*options); }; });
}

}  // namespace gloss
