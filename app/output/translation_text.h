#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/config/json.h"
#include "translation/line_translation.h"

namespace gloss {

/// Format of the output.
struct TranslationPrint {
  bool json_lines = false, n_best = false, alignment = false;
};

/// A line of the input and its translation.
struct TranslatedLine {
  std::int64_t number = 0;  ///< from 1
  std::string_view source;
  const LineTranslation* translation = nullptr;
};

/// Returns the text with a line feed at the end of each line. With n_best, each candidate is a line "number ||| text
/// ||| score"; alignment appends " ||| 0-0 1-2". With json_lines, returns one object.
std::string to_lines(const TranslatedLine& line, const TranslationPrint& print);

/// Returns a score with six decimals.
std::string printed_score(double score);

/// Returns [{"piece": ..., "log_probability": ...}, ...].
Json to_json(std::span<const LineTranslation::Token> tokens);

}  // namespace gloss
