#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <unordered_map>

#include "alignment/line_ids.h"
#include "common/text/word_links.h"

namespace gloss {

/// Counts of linked words, and of unlinked ones, for a table of their translations.
class LinkCounts {
 public:
  /// Adds the links of a line.
  void add(const IdPair& line, std::span<const WordLink> links);

  /// The order of the words in a line of the file: the given word is the second one.
  enum class Given { kSource, kTarget };
  /// Writes lines "target source probability" as Marian's lex.s2t has them, or with Given::kTarget "source target
  /// probability" (lex.t2s): the share of the given word's links, with the links to no word, NULL. A word's lines are
  /// in the order of their probabilities, `best` at most besides NULL; 0: all. Throws IoError.
  void write(const std::filesystem::path& path, const LineIds& sources, const LineIds& targets, Given given,
             std::size_t best) const;

 private:
  std::unordered_map<std::uint64_t, std::int64_t>
      counts_;  ///< by source + 1 in the upper and target + 1 in the lower half
};

}  // namespace gloss
