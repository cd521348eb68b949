#include "evaluation/bleu/bleu.h"

#include <algorithm>

#include "evaluation/bleu/bleu_metric.h"
#include "evaluation/bleu/bleu_score.h"
#include "evaluation/metric.h"

namespace gloss {

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 BleuTokenizer tokenizer) {
  const BleuOptions options{.tokenizer = tokenizer};
  const auto sums = sum_of_rows(BleuMetric(options).statistics(hypotheses, References::single(references)));
  const auto score = bleu_score(options, sums);
  Bleu bleu{.score = score.score, .brevity_penalty = score.brevity_penalty, .tokenizer = tokenizer};
  std::ranges::copy(score.precisions, bleu.precisions.begin());
  return bleu;
}

std::string bleu_signature(BleuTokenizer tokenizer) {
  return signature(BleuMetric(BleuOptions{.tokenizer = tokenizer}), {});
}

}  // namespace gloss
