#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/noted_lines.h"
#include "evaluation/bleu/bleu.h"
#include "pipeline/models/translation_model.h"
#include "pipeline/text_pairs.h"
#include "training/processes/exchange.h"

namespace gloss {

/// The best translation of each line.
struct Translations {
  std::vector<std::string> texts;
  NotedLines truncated;  ///< lines longer than the model reads; only the beginning was translated
};

/// Translates lines and shows the progress at the foot of a terminal under the name `job`. Throws Stopped after a
/// signal. The processes of `exchange` share the lines, and each gets all translations.
Translations translate_texts(const LineTranslator& translator, const DecodingConfig& decoding,
                             std::span<const std::string> lines, const std::string& job = "translating",
                             Exchange& exchange = no_exchange());

/// Warns if lines of `text` ("the validation source") were truncated.
void warn_of_truncated(std::string_view text, const NotedLines& truncated, std::int64_t max_length);

/// Translates the sources of a test, warns of truncated lines and scores the best hypotheses against the references.
Bleu evaluate_model(const LineTranslator& translator, const DecodingConfig& decoding, const LinePairs& test,
                    BleuTokenizer tokenizer = BleuTokenizer::k13a);

}  // namespace gloss
