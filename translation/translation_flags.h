#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// Bounds of suspicious translations. Words are those of `comparable_words`.
struct FlagBounds {
  /// A repetition is an n-gram of 1 to `max_ngram` words that occurs `min_consecutive` times in succession. An n-gram
  /// of `max_ngram` words that occurs `min_occurrences` times is one, too. Neither counts if the source has a
  /// repetition. Twice is common ("sehr, sehr").
  std::size_t max_ngram = 4;
  std::size_t min_consecutive = 3, min_occurrences = 3;
  /// Bounds for pieces, which also repeat within a word and between punctuation; only in succession.
  std::size_t max_piece_ngram = 4, min_consecutive_pieces = 4;
  /// Ratio of target to source length in pieces, which also measure languages without spaces. Human translations of the
  /// validation set of Multi30k (English and German, one vocabulary) have 0.45 to 1.63 times as many; other languages
  /// need wider bounds. Texts of fewer pieces than the two minimums are never flagged for their length.
  double min_length_ratio = 0.4, max_length_ratio = 2.5;
  std::int64_t min_source_pieces = 6;  ///< for too_short
  std::int64_t min_target_pieces = 9;  ///< for too_long
  /// Share of the target's words with letters that the source has in the same order. Both sides need a minimum number
  /// of words, since names and short titles may stay as they are.
  double copied_share = 0.8;
  std::size_t min_copied_words = 3;
};

/// The input of flags_of.
struct FlagInput {
  std::string_view source = {}, target = {};
  std::span<const Id> source_pieces = {}, target_pieces = {};  ///< without eos
  bool unknown = false;                                        ///< the target has an unknown piece
  bool truncated = false;                                      ///< only the beginning of the source was read
  bool cut = false;                                            ///< ended by the length limit, not by eos
};

/// Signs of a wrong translation; a sign is no proof.
struct TranslationFlags {
  bool repetition = false, too_short = false, too_long = false, copied_source = false;
  bool unknown = false, truncated = false, cut = false, fewer_sentences = false;

  /// Returns the names of the raised flags, in the order above.
  std::vector<std::string> names() const;
};

/// Returns the flags of a translation.
TranslationFlags flags_of(const FlagInput& input, const FlagBounds& bounds = {});

/// Returns the words that texts are compared by: split at white space, without punctuation at the ends, and only those
/// with a letter or digit. Each ideograph, kana or hangul syllable is a word. `text` is UTF-8.
std::vector<std::string> comparable_words(std::string_view text);

}  // namespace gloss
