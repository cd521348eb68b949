#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/special_ids.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/subword_draws.h"

namespace gloss {

/// BPE-dropout (Provilkov, Emelianenko and Voita 2020): byte pair encoding (Sennrich et al. 2016) that skips each
/// possible merge with a given probability. As in SentencePiece, a skipped merge is only tried again if a neighbor has
/// changed.
///
/// Works on ids: pieces are split into characters and merged again, best score first, ties from the left. Pieces
/// without characters of their own (unknown, bytes, user-defined) are kept.
class BpeDropout {
 public:
  explicit BpeDropout(const std::vector<Piece>& pieces);

  /// Returns another segmentation of the same text. With `dropout` 0 the ids equal SentencePiece's.
  Ids segment(std::span<const Id> ids, double dropout, SubwordDraws& draws) const {
    return merge(ids, dropout, &draws);
  }

  /// Returns the segmentation before the first merge, which is into characters, and after each.
  std::vector<Ids> merge_steps(std::span<const Id> ids) const;

 private:
  /// Merges the characters of `ids`. `draws` is needed if there is dropout. `on_step` receives the segmentation before
  /// the first merge and after each.
  Ids merge(std::span<const Id> ids, double dropout, SubwordDraws* draws,
            const std::function<void(Ids)>& on_step = nullptr) const;
  static std::uint64_t pair_key(Id left, Id right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  std::vector<Ids> characters_;                   ///< of each piece; a piece that is kept whole has itself
  std::vector<std::uint32_t> ranks_;              ///< of each piece; the best score has 0
  std::unordered_map<std::uint64_t, Id> merges_;  ///< maps pair_key(left, right) to the merged piece
};

}  // namespace gloss
