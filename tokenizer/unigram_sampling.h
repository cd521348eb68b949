#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/special_ids.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/subword_draws.h"

namespace gloss {

/// Subword regularization (Kudo 2018, section 3.2): a segmentation x of a text is drawn with
///
///     P(x) = (product of p(x_i))^alpha / sum of the same over all segmentations
///
/// by forward filtering and backward sampling, with the unigram model's probabilities p. Works on ids: the text is
/// rebuilt from the pieces. Pieces without characters of their own (unknown, bytes, user-defined) are kept.
class UnigramSampling {
 public:
  explicit UnigramSampling(std::vector<Piece> pieces);
  UnigramSampling(UnigramSampling&&) = default;  // not copyable: `by_text_` refers to `pieces_`

  /// Returns another segmentation of the same text.
  Ids segment(std::span<const Id> ids, double alpha, SubwordDraws& draws) const;

 private:
  void add_sample(std::string_view text, double alpha, SubwordDraws& draws, Ids& pieces) const;

  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, Id> by_text_;  ///< keys refer to `pieces_`
  std::size_t max_piece_bytes_ = 0;                   ///< bytes of the longest piece
};

}  // namespace gloss
