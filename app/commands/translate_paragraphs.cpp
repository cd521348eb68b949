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
    add_unit(text + line_end(line));
  }
  /// Ends the paragraph that has no empty line after it.
  void finish() {
    if (!text_.empty()) add_unit(std::exchange(text_, {}));
  }

  /// Returns the translations of the paragraphs since the last call, with their line ends.
  std::string translated(const UnitTranslator& translator, UnitCounts& counts) {
    std::string text;
    const auto translations = translator.translate(units_, counts);
    for (std::size_t i = 0; i < units_.size(); ++i)
      text += with_element_texts(translations[i]).target.text + line_ends_[i];
    units_.clear();
    line_ends_.clear();
    return text;
  }

 private:
  static constexpr std::size_t kMaxBytes = 1 << 16;  ///< of a wrapped paragraph; more are cut at a line end

  /// Adds a text that ends with a line end.
  void add_unit(std::string text) {
    const auto end = text.find_last_not_of("\r\n") + 1;
    line_ends_.push_back(text.substr(end));
    text.resize(end);
    units_.push_back({.id = {}, .source = {std::move(text), {}}, .mode = mode_, .has_placeholders = true});
  }

  SentenceMode mode_;
  std::string text_;
  std::vector<Unit> units_;
  std::vector<std::string> line_ends_;  ///< of each
};

}  // namespace

ExitCode translate_paragraphs(const TranslateOptions& options, TranslationInput& source, OutputFile& results,
                              const UnitTranslator& translator, InputProgress& progress, std::size_t lines_at_once) {
  expect_plain_output(options);
  Paragraphs paragraphs(options.sentences.mode.value());
  UnitCounts counts;
  const auto translate = [&] { results.write(paragraphs.translated(translator, counts)); };
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
    log_warning(counted(counts.cut, "sentence") +
                " longer than the model reads: cut into parts, whose translations are joined");
  results.commit();
  return ExitCode::kDone;
}

}  // namespace gloss
