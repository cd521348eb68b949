#include "app/output/score_text.h"

#include <array>
#include <cstdio>

namespace gloss {
namespace {

std::string score_line(const Bleu& bleu) {
  std::array<char, 32> score{};
  std::snprintf(score.data(), score.size(), "BLEU = %.2f\n", bleu.score);
  return score.data();
}

}  // namespace

std::string to_lines(const Bleu& bleu) { return score_line(bleu) + bleu_signature(bleu.tokenizer) + '\n'; }

Json to_json(const Bleu& bleu) {
  return {{"score", bleu.score},
          {"signature", bleu_signature(bleu.tokenizer)},
          {"precisions", bleu.precisions},
          {"brevity_penalty", bleu.brevity_penalty}};
}

}  // namespace gloss
