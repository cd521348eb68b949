#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/special_ids.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/subword_draws.h"

namespace gloss {

/// BPE-dropout (Provilkov, Emelianenko and Voita 2020): byte pair encoding (Sennrich et al. 2016) in which each merge
/// that comes up is left out with a probability. As SentencePiece does it, what was left out comes up again only where
/// a neighbor has changed.
///
/// It works on ids, not on text: pieces are taken apart into characters and merged anew, the best score first, then
/// from the left. What has no characters of its own (unknown, bytes, user-defined pieces) stays as it is.
class BpeDropout {
 public:
  explicit BpeDropout(const std::vector<Piece>& pieces);

  /// Other pieces of the same text; at `dropout` 0 the ids that SentencePiece gives.
  Ids segment(std::span<const Id> ids, double dropout, SubwordDraws& draws) const;

 private:
  static std::uint64_t pair_key(Id left, Id right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  std::vector<Ids> characters_;                   ///< of each piece; itself where it stays whole
  std::vector<std::uint32_t> ranks_;              ///< of each piece; the best score has 0
  std::unordered_map<std::uint64_t, Id> merges_;  ///< pair_key of two pieces to the piece that they make
};

}  // namespace gloss
