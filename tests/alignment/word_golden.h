#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "alignment/line_ids.h"
#include "alignment/symmetrization.h"

namespace gloss {

/// The results of fast_align and atools (tests/golden/word_alignment.py).
inline nlohmann::json word_golden() {
  return nlohmann::json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/word_alignment.json"));
}

/// Two texts as ids of their words.
struct NumberedTexts {
  LineIds sources{nullptr}, targets{nullptr};
  std::vector<IdPair> lines;

  NumberedTexts(const std::vector<std::string>& source, const std::vector<std::string>& target) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      sources.learn(source[i]);
      targets.learn(target[i]);
      lines.push_back({sources.encode(source[i]), targets.encode(target[i])});
    }
  }
};

/// Reads links in the Pharaoh format: pairs of a source and a target.
inline std::vector<std::pair<Id, Id>> links_in(const std::string& text) {
  std::vector<std::pair<Id, Id>> links;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find(' ', at), text.size() - 1) + 1)
    links.emplace_back(std::stoi(text.substr(at)), std::stoi(text.substr(text.find('-', at) + 1)));
  return links;
}

}  // namespace gloss
