#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "evaluation/bleu.h"

namespace gloss {

struct GroupBleu {
  std::int64_t lines = 0;
  Bleu bleu;
};

/// BLEU of the lines of each group, line n being of group `groups[n]`. Throws DataError where the counts of lines
/// differ or there are none.
std::map<std::string, GroupBleu> bleu_by_group(std::span<const std::string> hypotheses,
                                               std::span<const std::string> references,
                                               std::span<const std::string> groups,
                                               BleuTokenizer tokenizer = BleuTokenizer::k13a);

}  // namespace gloss
