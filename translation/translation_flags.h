#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// Bounds beyond which a translation looks wrong. Words are those of `comparable_words`.
struct FlagBounds {
  /// An n-gram of 1 to so many words, said `in_a_row` times on end, or one of so many said `in_all` times, is a
  /// repetition, unless the source repeats itself too. Twice is common ("sehr, sehr"), three times a search gone
  /// astray.
  std::size_t longest_ngram = 4;
  std::size_t in_a_row = 3, in_all = 3;
  /// The same of pieces, which also repeat within a word and between punctuation: of 1 to so many, on end alone.
  std::size_t longest_ngram_of_pieces = 4, pieces_in_a_row = 4;
  /// Target to source in pieces, which also measure languages without spaces. Of the validation set of Multi30k
  /// (English and German, one vocabulary) human translations have 0.45 to 1.63 times as many; other pairs of languages
  /// need more room. Few pieces say nothing: below these counts neither is too short or too long.
  double shortest = 0.4, longest = 2.5;
  std::int64_t least_source_pieces = 6;  ///< for too short
  std::int64_t least_target_pieces = 9;  ///< for too long
  /// Share of the target's words with letters that the source has in the same order, of at least so many on either
  /// side: names and short titles may well stay as they are.
  double copied_share = 0.8;
  std::size_t least_copied_words = 3;
};

/// What is known of a translation when it is judged.
struct JudgedTranslation {
  std::string_view source = {}, target = {};
  std::span<const Id> source_pieces = {}, target_pieces = {};  ///< without eos
  bool unknown = false;                                        ///< unk was said
  bool truncated = false;                                      ///< only the source's beginning was read
  bool cut = false;                                            ///< it was ended by the limit of length, not by eos
};

/// What looks wrong with a translation. None of it need be.
struct TranslationFlags {
  bool repetition = false, too_short = false, too_long = false, copied_source = false;
  bool unknown = false, truncated = false, cut = false, fewer_sentences = false;

  /// Those that are raised, as they are called above, in that order.
  std::vector<std::string> names() const;
};

TranslationFlags flags_of(const JudgedTranslation& translation, const FlagBounds& bounds = {});

/// Words to compare texts by: what white space parts, without punctuation at the ends, and without those that have
/// neither letter nor digit; each ideograph, kana or hangul syllable is one. `text` is UTF-8.
std::vector<std::string> comparable_words(std::string_view text);

}  // namespace gloss
