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
/// by summing forwards and drawing backwards, where p is what the unigram model gives a piece. Works on ids: the texts
/// of the pieces are put together again. What has no characters of its own (unknown, bytes, user-defined pieces) stays
/// as it is.
class UnigramSampling {
 public:
  explicit UnigramSampling(std::vector<Piece> pieces);
  UnigramSampling(UnigramSampling&&) = default;  // not copied: `by_text_` looks at `pieces_`

  /// Other pieces of the same text.
  Ids segment(std::span<const Id> ids, double alpha, SubwordDraws& draws) const;

 private:
  void add_sample(std::string_view text, double alpha, SubwordDraws& draws, Ids& pieces) const;

  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, Id> by_text_;  ///< into `pieces_`
  std::size_t longest_ = 0;                           ///< piece, in bytes
};

}  // namespace gloss
