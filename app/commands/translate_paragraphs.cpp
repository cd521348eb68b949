#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "app/commands/sentence_splitting.h"
#include "app/input/translation_input.h"
#include "app/options/translate_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/sentences/sentence_splitter.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "documents/translate_document.h"

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
  if (options.closest_to) refuse("--closest-to");
  if (options.decoding.has("n_best")) refuse("--n-best");
}

}  // namespace

ExitCode translate_paragraphs(const TranslateOptions& options, TranslationInput& source, OutputFile& results,
                              const UnitTranslator& translator, InputProgress& progress, std::size_t lines_at_once) {
  expect_plain_output(options);
  const auto mode = options.sentences.mode.value();
  std::string text;          // not translated yet
  std::size_t complete = 0;  // bytes of `text` in complete paragraphs
  std::int64_t line_number = 0;
  UnitCounts counts;
  const auto translate = [&] {
    results.write(translate_text(std::string_view(text).substr(0, complete), mode, translator, counts).target.text);
    text.erase(0, std::exchange(complete, 0));
  };
  try {
    for (auto lines = source.next(lines_at_once); !lines.empty(); lines = source.next(lines_at_once)) {
      progress.start(lines);
      for (const auto& line : lines) {
        ++line_number;
        if (line.cut)
          log_warning("line " + std::to_string(line_number) + ": is too long; only its beginning is translated");
        const auto content = repair_utf8(line.text);
        text += content + (line.crlf ? "\r\n" : line.has_end ? "\n" : "");
        if (mode != SentenceMode::kWrapped || is_blank(content) || cuts_paragraph(text.size() - complete, content))
          complete = text.size();
      }
      translate();
    }
    complete = text.size();
    translate();
  } catch (const Stopped& stopped) {
    return stopped.exit_code();
  }
  if (const auto stopped = stop_requested()) return *stopped;
  if (counts.cut > 0)
    log_warning(counted(counts.cut, "sentence") +
                " longer than the model reads: cut into parts, whose translations are joined");
  if (counts.lacking_phrase > 0)
    log_warning(counted(counts.lacking_phrase, "translation") + " without a phrase of the glossary");
  results.commit();
  return ExitCode::kDone;
}

}  // namespace gloss
