#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/format.h"
#include "decoding/decoding_config.h"
#include "translation/line_translator.h"

namespace gloss {

/// The best translation of a line.
struct TranslatedText {
  std::string text;
  bool truncated = false;  ///< the line is longer than the model reads; only its beginning was translated
};

/// Translates lines and shows the progress at the foot of a terminal under the name `job`. Throws Stopped after a
/// signal.
std::vector<TranslatedText> translate_texts(const LineTranslator& translator, const DecodingConfig& decoding,
                                            std::span<const std::string> lines, const std::string& job = "translating");

/// The best translation of each line, and the numbers of the lines that were truncated.
struct Translations {
  std::vector<std::string> texts;
  NotedLines truncated;

  explicit Translations(std::vector<TranslatedText> translated);
};

/// Warns if lines of `text` ("the validation source") were truncated.
void warn_of_truncated(std::string_view text, const NotedLines& truncated, std::int64_t max_length);

}  // namespace gloss
