#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "common/random.h"
#include "common/special_ids.h"
#include "tokenizer/sentencepiece_model.h"

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
  Ids segment(std::span<const Id> ids, double dropout, RandomSequence& draws) const {
    return merge(ids, dropout, &draws);
  }

  /// Returns the segmentation before the first merge, which is into characters, and after each.
  std::vector<Ids> merge_steps(std::span<const Id> ids) const;

 private:
  /// Merges the characters of `ids`. `draws` is needed if there is dropout. `on_step` receives the segmentation before
  /// the first merge and after each.
  Ids merge(std::span<const Id> ids, double dropout, RandomSequence* draws,
            const std::function<void(Ids)>& on_step = nullptr) const;
  static std::uint64_t pair_key(Id left, Id right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  std::vector<Ids> characters_;                   ///< of each piece; a piece that is kept whole has itself
  std::vector<std::uint32_t> ranks_;              ///< of each piece; the best score has 0
  std::unordered_map<std::uint64_t, Id> merges_;  ///< maps pair_key(left, right) to the merged piece
};

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
  Ids segment(std::span<const Id> ids, double alpha, RandomSequence& draws) const;

 private:
  void add_sample(std::string_view text, double alpha, RandomSequence& draws, Ids& pieces) const;

  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, Id> by_text_;  ///< keys refer to `pieces_`
  std::size_t max_piece_bytes_ = 0;                   ///< bytes of the longest piece
};

/// Samples other segmentations of sentences: by BPE-dropout for BPE models, by subword regularization for unigram
/// models. A sample depends on (stream, its update and micro-batch, sentence) only. Safe to share between threads.
class SubwordSampler {
 public:
  /// `tokenizer`: the bytes of a tokenizer (make_tokenizer). `amount`: the probability of skipping a merge (BPE), or
  /// alpha (unigram). Throws UsageError with the key data.subword_sampling for another kind of model, ModelError if it
  /// has pieces marked as unused.
  SubwordSampler(const std::string& tokenizer, double amount);

  /// Returns a sample for `ids`, a sentence encoded by the tokenizer, with or without eos.
  Ids sample(std::span<const Id> ids, const RandomStream& random, std::uint64_t sentence) const;

 private:
  std::variant<BpeDropout, UnigramSampling> segmentation_;
  double amount_;
};

}  // namespace gloss
