#include "evaluation/bleu.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "evaluation/bleu_lines.h"
#include "evaluation/bleu_metric.h"
#include "evaluation/bleu_score.h"
#include "evaluation/metric.h"

namespace gloss {

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 BleuTokenizer tokenizer) {
  if (hypotheses.size() != references.size())
    throw DataError("BLEU: wanted as many hypotheses as references, got " + std::to_string(hypotheses.size()) +
                    " hypotheses and " + std::to_string(references.size()) + " references");
  if (hypotheses.empty()) throw DataError("BLEU: wanted at least one line, got none");
  const BleuOptions options{.tokenizer = tokenizer};
  BleuLines lines(options);
  std::vector<double> row(static_cast<std::size_t>(BleuLines::width(options))), sums(row.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::string_view reference = references[i];
    lines.count(hypotheses[i], {&reference, 1}, row);
    std::ranges::transform(sums, row, sums.begin(), std::plus());
  }
  const auto score = bleu_score(options, sums);
  Bleu bleu{.score = score.score,
            .brevity_penalty = score.brevity_penalty,
            .hypothesis_length = static_cast<std::int64_t>(sums[0]),
            .reference_length = static_cast<std::int64_t>(sums[1]),
            .tokenizer = tokenizer};
  std::ranges::copy(score.precisions, bleu.precisions.begin());
  for (std::size_t n = 0; n < bleu.matches.size(); ++n) {
    bleu.matches[n] = static_cast<std::int64_t>(sums[2 + n]);
    bleu.totals[n] = static_cast<std::int64_t>(sums[2 + bleu.matches.size() + n]);
  }
  return bleu;
}

std::string bleu_signature(BleuTokenizer tokenizer) {
  return signature(BleuMetric(BleuOptions{.tokenizer = tokenizer}), {});
}

}  // namespace gloss
