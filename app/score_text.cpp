#include "app/score_text.h"

#include <array>
#include <cstdio>

namespace gloss {

std::string to_lines(const Bleu& bleu) {
  std::array<char, 32> score{};
  std::snprintf(score.data(), score.size(), "BLEU = %.2f", bleu.score);
  return std::string(score.data()) + '\n' + bleu_signature() + '\n';
}

Json to_json(const Bleu& bleu) {
  return {{"score", bleu.score},
          {"signature", bleu_signature()},
          {"precisions", bleu.precisions},
          {"brevity_penalty", bleu.brevity_penalty}};
}

}  // namespace gloss
