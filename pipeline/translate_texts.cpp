#include "pipeline/translate_texts.h"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include <ATen/Parallel.h>

#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/counted.h"
#include "pipeline/progress_line.h"

namespace gloss {
namespace {

struct Translated {
  std::string text;
  bool truncated;
};

// Returns the lines that this process translates. Neighbors go to different processes, since texts often begin with
// short lines.
std::vector<std::string> lines_of(const Exchange& exchange, std::span<const std::string> lines) {
  std::vector<std::string> own;
  for (auto i = static_cast<std::size_t>(exchange.rank()); i < lines.size();
       i += static_cast<std::size_t>(exchange.size()))
    own.push_back(lines[i]);
  return own;
}

// Returns the translations of all lines, which lines_of has divided.
std::vector<Translated> of_all_processes(Exchange& exchange, std::vector<Translated> own, std::size_t lines) {
  if (exchange.is_alone()) return own;
  std::string bytes;  // a mark, the number of bytes and the text of each line
  for (const auto& [text, truncated] : own) {
    const std::uint64_t size = text.size();
    bytes += truncated ? '\1' : '\0';
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += text;
  }
  const auto parts = exchange.all_gather_texts(bytes);
  std::vector<std::size_t> read(parts.size());  // bytes of each part
  std::vector<Translated> all;
  for (std::size_t line = 0; line < lines; ++line) {
    const auto& part = parts[line % parts.size()];
    auto& at = read[line % parts.size()];
    std::uint64_t size = 0;
    expect_sent(part.size() - at > sizeof size);
    std::memcpy(&size, part.data() + at + 1, sizeof size);
    expect_sent(size <= part.size() - at - 1 - sizeof size);
    all.push_back({part.substr(at + 1 + sizeof size, size), part[at] != '\0'});
    at += 1 + sizeof size + size;
  }
  return all;
}

}  // namespace

Translations translate_texts(const LineTranslator& translator, const DecodingConfig& decoding,
                             std::span<const std::string> lines, const std::string& job, Exchange& exchange) {
  const auto own = lines_of(exchange, lines);
  const WorkProgress progress(static_cast<double>(own.size()), job);
  std::int64_t begun = 0;
  const TranslationHooks hooks{.before_batch =
                                   [&](std::int64_t of_batch) {
                                     progress.show(static_cast<double>(begun));
                                     begun += of_batch;
                                   },
                               .before_step = stop_where_requested};
  const TranslationRequest request{.lines = own, .workers = at::get_num_threads()};
  std::vector<Translated> translated;
  for (auto& translation : translator.translate(request, decoding, hooks))
    translated.push_back({std::move(translation.candidates.front().text), translation.truncated});
  log_progress("");
  Translations result;
  for (auto& [text, truncated] : of_all_processes(exchange, std::move(translated), lines.size())) {
    result.texts.push_back(std::move(text));
    if (truncated) result.truncated.note(std::ssize(result.texts));
  }
  return result;
}

void warn_of_truncated(std::string_view text, const NotedLines& truncated, std::int64_t max_length) {
  if (truncated.count > 0)
    log_warning(counted(truncated.count, "line") + " of " + std::string(text) + " longer than the " +
                std::to_string(max_length) +
                " pieces of data.max_length: only the beginning is translated and scored (" + truncated.text() + ")");
}

Bleu evaluate_model(const LineTranslator& translator, const DecodingConfig& decoding, const LinePairs& test,
                    BleuTokenizer tokenizer) {
  const auto [texts, truncated] = translate_texts(translator, decoding, test.sources);
  warn_of_truncated("the test source", truncated, translator.max_source_length());
  return corpus_bleu(texts, test.references, tokenizer);
}

}  // namespace gloss
