#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/config/json.h"
#include "pipeline/models/translation_details.h"

namespace gloss {

/// What is printed of each line.
struct TranslationPrint {
  bool json_lines = false, n_best = false, alignment = false;
};

/// A line of the input and what became of it.
struct TranslatedLine {
  std::int64_t number = 0;  ///< from 1
  std::string_view source;
  bool truncated = false;                            ///< by the reader of lines or by the translator
  const DetailedTranslation* translation = nullptr;  ///< none: memory ran out
};

/// The text; with n_best "number ||| text ||| score" for each candidate; with alignment " ||| 0-0 1-2" behind; with
/// json_lines one object. Each with the ends of its lines.
std::string to_lines(const TranslatedLine& line, const TranslationPrint& print);

/// As a line has it, with six decimals.
std::string printed_score(double score);

/// [{"piece": ..., "log_probability": ...}, ...]
Json to_json(std::span<const DetailedTranslation::Token> tokens);

}  // namespace gloss
