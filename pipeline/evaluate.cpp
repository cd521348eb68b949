#include "pipeline/evaluate.h"

#include <iterator>
#include <utility>

#include <ATen/Parallel.h>

#include "common/log.h"
#include "common/system/stop.h"
#include "data/aligned_reader.h"
#include "pipeline/run/progress_line.h"

namespace gloss {

std::vector<std::string> read_lines(const std::filesystem::path& path, Passes passes) {
  TextLines text(path, passes);
  std::vector<std::string> lines;
  for (std::string line; text.next(line);) lines.push_back(std::move(line));
  text.warn_of_broken();
  return lines;
}

TestSet read_test_set(const std::filesystem::path& source, const std::filesystem::path& reference) {
  TestSet test{read_lines(source), read_lines(reference)};
  expect_equal_counts(source, std::ssize(test.sources), reference, std::ssize(test.references));
  return test;
}

Translations translate_texts(const LineTranslator& translator, const DecodingConfig& decoding,
                             std::span<const std::string> lines, const std::string& job) {
  const WorkProgress progress(static_cast<double>(lines.size()), job);
  std::int64_t begun = 0;
  const TranslationHooks hooks{.before_batch =
                                   [&](std::int64_t of_batch) {
                                     progress.show(static_cast<double>(begun));
                                     begun += of_batch;
                                   },
                               .before_step = stop_where_requested};
  const TranslationRequest request{.lines = lines, .workers = at::get_num_threads()};
  Translations result;
  for (auto& translation : translator.translate(request, decoding, hooks)) {
    result.texts.push_back(std::move(translation.candidates.front().text));
    if (translation.truncated) result.truncated.note(std::ssize(result.texts));
  }
  log_progress("");
  return result;
}

void warn_of_truncated(std::string_view text, const NotedLines& truncated, std::int64_t max_length) {
  if (truncated.count > 0)
    log_warning(std::to_string(truncated.count) + " lines of " + std::string(text) + " are longer than the " +
                std::to_string(max_length) +
                " pieces of data.max_length; only their beginnings are translated and scored (" + truncated.text() +
                ")");
}

std::vector<std::string> translate_lines(const LineTranslator& translator, const DecodingConfig& decoding,
                                         std::span<const std::string> lines) {
  auto [texts, truncated] = translate_texts(translator, decoding, lines);
  warn_of_truncated("the test source", truncated, translator.max_source_length());
  return std::move(texts);
}

Bleu evaluate_model(const LineTranslator& translator, const DecodingConfig& decoding, const TestSet& test,
                    BleuTokenizer tokenizer) {
  return corpus_bleu(translate_lines(translator, decoding, test.sources), test.references, tokenizer);
}

}  // namespace gloss
