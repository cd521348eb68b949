#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/random.h"
#include "common/special_ids.h"
#include "common/text/text_pair.h"
#include "data/data_config.h"
#include "tokenizer/cached_encoder.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Texts that stay as they are: tokenizer.symbols. A word (between U+0020) also stays if it looks like a placeholder, a
/// tag, a URL or an e-mail address.
using KeptTexts = std::span<const std::string>;

enum class LetterCase { kStays, kUpper, kTitle, kLower };  ///< kTitle: the first letter of each word in upper case
/// Returns the text in other letters; the upper case of ß is SS.
std::string in_case(std::string_view text, LetterCase letter_case, KeptTexts kept = {});

/// Removes full stops, exclamation and question marks from the ends of both texts. Returns false, and changes nothing,
/// unless both have one, and other characters.
bool remove_end_marks(TextPair& pair);

/// Makes a typing error in a word of at least four letters: two letters swapped, a letter left out, doubled, or
/// replaced by its neighbor on an English keyboard. The first letter of a word stays.
std::string with_typo(std::string_view text, KeptTexts kept, RandomSequence& draws);

/// Adds a placeholder to both texts at places that match: at the beginning, at the end before the end mark, after a
/// name or number that occurs once in both texts, or in its place. Names begin with a capital. Returns false, and
/// changes nothing, if one of the texts contains the placeholder.
bool add_placeholder(TextPair& pair, std::string_view placeholder, KeptTexts kept, RandomSequence& draws);

/// Changes training pairs as AugmentationConfig sets: decodes ids, changes the texts, and encodes them again. A change
/// is a function of (stream, its update, sentence). Not safe to share between threads.
class PairAugmenter {
 public:
  /// `symbols`: tokenizer.symbols. Those that do not begin with "<", as tags do, are placeholders, too. Others are made
  /// up if both vocabularies spell them. Throws UsageError with the key data.augment_placeholders if there are none.
  PairAugmenter(const DataConfig& config, std::vector<std::string> symbols, std::shared_ptr<const Tokenizer> source,
                std::shared_ptr<const Tokenizer> target);

  /// Returns whether a change is drawn for the pair.
  bool draws_change(const RandomStream& random, std::uint64_t sentence) const;
  /// Changes both sides, pieces and eos, if a change is drawn. Returns whether an id has changed. A pair stays if a
  /// changed side has an unknown piece or more than data.max_length ids.
  bool augment(Ids& source, Ids& target, const RandomStream& random, std::uint64_t sentence);

  /// Numbers of pairs so far with a change drawn, and of those among them that stayed because of an unknown piece.
  struct Counts {
    std::int64_t drawn = 0, unknown = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Changes;
  Changes draw(RandomSequence& draws) const;
  std::string make_up_placeholder(std::string_view source, RandomSequence& draws) const;

  AugmentationConfig config_;
  std::int64_t max_length_;
  std::vector<std::string> symbols_, placeholders_;
  std::shared_ptr<const Tokenizer> source_, target_;
  CachedEncoder source_encoder_, target_encoder_;
  Counts counts_;
};

}  // namespace gloss
