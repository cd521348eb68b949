#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "model/model_config.h"

namespace gloss {

/// How many tokens a shortlist has, as options of Marian's --shortlist.
struct ShortlistSizes {
  std::size_t frequent = 100;  ///< the first pieces of the target's vocabulary are in every list
  std::size_t best = 100;      ///< of each piece of the source
};

/// Target tokens that are likely for the tokens of a source: a lexical table, which depends on the tokenizers alone. A
/// search that is restricted to the list of its sentence multiplies with fewer columns of the generator.
///
///     Shortlist shortlist({.offsets = {0, 0, 0, 0, 0, 2}, .tokens = {7, 9}, .always = {kEos}}, {5, 10});
///     shortlist.list({{4, kEos}}, {});   // 3, 7, 9
class Shortlist {
 public:
  struct Table {
    std::vector<std::int32_t> offsets;  ///< [source vocabulary + 1]: source token s proposes the tokens offsets[s] on
    Ids tokens;                         ///< target tokens
    Ids always;                         ///< target tokens of every list
    bool operator==(const Table&) const = default;
  };

  /// Throws ModelError if offsets do not ascend from 0 to the number of tokens, a token is not in the target
  /// vocabulary, or eos is not in every list.
  Shortlist(Table table, const Vocabularies& vocabularies);

  const Table& table() const { return table_; }

  /// Returns the tokens of every list, those of all source tokens, and `wanted`, ascending, each once. Throws
  /// ShapeError for ids out of range.
  Ids list(std::span<const std::int64_t> source, std::span<const Id> wanted) const;

 private:
  Table table_;
  std::int64_t target_size_;
};

}  // namespace gloss
