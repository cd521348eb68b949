#include "translation/translate_texts.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/log/log.h"
#include "common/log/progress_line.h"
#include "common/system/stop.h"
#include "common/text/format.h"

namespace gloss {
namespace {

// Batches of a call. More lines are translated by several calls, since the results of one take a kilobyte a line.
constexpr std::int64_t kBatchesOfCall = 256;

}  // namespace

std::vector<TranslatedText> translate_texts(const LineTranslator& translator, const DecodingConfig& decoding,
                                            std::span<const std::string> lines, const std::string& job) {
  const WorkProgress progress(static_cast<double>(lines.size()), job);
  std::int64_t begun = 0;
  const TranslationHooks hooks{.before_batch =
                                   [&](std::int64_t of_batch) {
                                     progress.show(static_cast<double>(begun));
                                     begun += of_batch;
                                   },
                               .before_step = stop_where_requested};
  std::vector<TranslatedText> translated;
  const auto lines_of_call = static_cast<std::size_t>(kBatchesOfCall * decoding.batch_size);
  for (std::size_t first = 0; first < lines.size(); first += lines_of_call) {
    const TranslationRequest request{.lines = lines.subspan(first, std::min(lines_of_call, lines.size() - first)),
                                     .first_index = static_cast<std::int64_t>(first)};
    for (auto& translation : translator.translate(request, decoding, hooks))
      translated.push_back({std::move(translation.candidates.front().text), translation.truncated});
  }
  log_progress("");
  return translated;
}

Translations::Translations(std::vector<TranslatedText> translated) {
  for (auto& [text, is_truncated] : translated) {
    texts.push_back(std::move(text));
    if (is_truncated) truncated.note(std::ssize(texts));
  }
}

void warn_of_truncated(std::string_view text, const NotedLines& truncated, std::int64_t max_length) {
  if (truncated.count > 0)
    log_warning(counted(truncated.count, "line") + " of " + std::string(text) + " longer than the " +
                std::to_string(max_length) +
                " pieces of data.max_length: only the beginning is translated and scored (" + truncated.text() + ")");
}

}  // namespace gloss
