#include "app/score_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/log.h"

namespace gloss {
namespace {

std::string score_line(const Bleu& bleu) {
  std::array<char, 32> score{};
  std::snprintf(score.data(), score.size(), "BLEU = %.2f\n", bleu.score);
  return score.data();
}

}  // namespace

std::string to_lines(const std::map<std::string, GroupBleu>& groups) {
  std::size_t width = 0;
  for (const auto& [name, score] : groups) width = std::max(width, printable(name).size());
  std::string lines;
  for (const auto& [name, score] : groups) {
    std::array<char, 32> count{};
    std::snprintf(count.data(), count.size(), "%8lld lines  ", static_cast<long long>(score.lines));
    auto text = printable(name);
    text.resize(width, ' ');
    lines += text + count.data() + score_line(score.bleu);
  }
  return lines;
}

std::string to_lines(const Bleu& bleu) { return score_line(bleu) + bleu_signature(bleu.tokenizer) + '\n'; }

Json to_json(const Bleu& bleu) {
  return {{"score", bleu.score},
          {"signature", bleu_signature(bleu.tokenizer)},
          {"precisions", bleu.precisions},
          {"brevity_penalty", bleu.brevity_penalty}};
}

Json to_json(const std::map<std::string, GroupBleu>& groups) {
  Json result = Json::object();
  for (const auto& [name, score] : groups) {
    result[name] = to_json(score.bleu);
    result[name]["lines"] = score.lines;
  }
  return result;
}

}  // namespace gloss
