#include "evaluation/bleu_by_group.h"

#include <vector>

#include "common/error.h"

namespace gloss {

std::map<std::string, GroupBleu> bleu_by_group(std::span<const std::string> hypotheses,
                                               std::span<const std::string> references,
                                               std::span<const std::string> groups, BleuTokenizer tokenizer) {
  if (hypotheses.size() != references.size() || hypotheses.size() != groups.size())
    throw DataError("BLEU by group: wanted as many references and groups as the " + std::to_string(hypotheses.size()) +
                    " hypotheses, got " + std::to_string(references.size()) + " and " + std::to_string(groups.size()));
  struct Lines {
    std::vector<std::string> hypotheses, references;
  };
  std::map<std::string, Lines> lines_of;
  for (std::size_t line = 0; line < groups.size(); ++line) {
    auto& lines = lines_of[groups[line]];
    lines.hypotheses.push_back(hypotheses[line]);
    lines.references.push_back(references[line]);
  }
  if (lines_of.empty()) throw DataError("BLEU by group: wanted at least one line, got none");
  std::map<std::string, GroupBleu> scores;
  for (const auto& [group, lines] : lines_of)
    scores[group] = {static_cast<std::int64_t>(lines.hypotheses.size()),
                     corpus_bleu(lines.hypotheses, lines.references, tokenizer)};
  return scores;
}

}  // namespace gloss
