#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/sentence_splitting.h"
#include "app/input/translation_input.h"
#include "app/options/translate_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "documents/unit_translator.h"

namespace gloss {
namespace {

/// Throws UsageError for an option that describes translations of lines.
void expect_plain_output(const TranslateOptions& options) {
  const auto refuse = [](const char* option) {
    throw UsageError(std::string(option) + ": has no effect beside --split-sentences, which prints texts only");
  };
  if (options.json_lines) refuse("--json-lines");
  if (options.alignment || options.alignment_from) refuse("--alignment");
  if (options.replace_unknown) refuse("--replace-unknown");
  if (options.prefix) refuse("--prefix");
  if (options.decoding.has("n_best")) refuse("--n-best");
}

std::string line_end(const TextLine& line) { return line.crlf ? "\r\n" : "\n"; }

/// Collects lines to paragraphs: of one line each, or up to an empty line.
class Paragraphs {
 public:
  explicit Paragraphs(SentenceMode mode) : mode_(mode) {}

  void add(const TextLine& line) {
    const auto text = repair_utf8(line.text);
    if (mode_ == SentenceMode::kWrapped && !is_blank(text) && text_.size() < kMaxBytes) {
      text_ += text + line_end(line);
      return;
    }
    finish();
    units_.push_back(unit_of(text + line_end(line)));
  }
  /// Ends the paragraph that has no empty line after it.
  void finish() {
    if (!text_.empty()) units_.push_back(unit_of(std::exchange(text_, {})));
  }
  std::vector<Unit> take() { return std::exchange(units_, {}); }

 private:
  static constexpr std::size_t kMaxBytes = 1 << 16;  ///< of a wrapped paragraph; more are cut at a line end

  Unit unit_of(std::string text) const {
    return {.id = {}, .source = {std::move(text), {}}, .mode = mode_, .has_placeholders = true};
  }

  SentenceMode mode_;
  std::string text_;
  std::vector<Unit> units_;
};

}  // namespace

ExitCode translate_paragraphs(const TranslateOptions& options, TranslationInput& source, OutputFile& results,
                              const UnitTranslator& translator, InputProgress& progress, std::size_t lines_at_once) {
  expect_plain_output(options);
  Paragraphs paragraphs(options.sentences.mode.value());
  UnitCounts counts;
  const auto translate = [&] {
    std::string output;
    const auto units = paragraphs.take();
    for (const auto& translation : translator.translate(units, counts))
      output += with_element_texts(translation).target.text;
    results.write(output);
  };
  try {
    for (auto lines = source.next(lines_at_once); !lines.empty(); lines = source.next(lines_at_once)) {
      progress.start(lines);
      for (const auto& line : lines) paragraphs.add(line);
      translate();
    }
    paragraphs.finish();
    translate();
  } catch (const Stopped& stopped) {
    return stopped.exit_code();
  }
  if (const auto stopped = stop_requested()) return *stopped;
  if (counts.cut > 0)
    log_warning(counted(counts.cut, "sentence") + " had more words than the model reads, and was cut into parts");
  results.commit();
  return ExitCode::kDone;
}

}  // namespace gloss
