#pragma once

#include <array>
#include <span>
#include <string>

#include "evaluation/tokenize/tokenize.h"

namespace gloss {

/// Corpus BLEU with BleuMetric's defaults: cased, exponential smoothing, no effective order, one reference.
struct Bleu {
  double score = 0;                    ///< 0 to 100
  std::array<double, 4> precisions{};  ///< 0 to 100, smoothed; of 1-grams to 4-grams
  double brevity_penalty = 0;
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
};

/// Computes corpus BLEU. Throws DataError if the numbers of lines differ or are 0.
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 BleuTokenizer tokenizer = BleuTokenizer::k13a);

/// Returns the signature: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0".
std::string bleu_signature(BleuTokenizer tokenizer = BleuTokenizer::k13a);

}  // namespace gloss
