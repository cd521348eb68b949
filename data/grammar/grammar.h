#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/grammar/lexicon.h"

namespace gloss::grammar {

/// The kind of word that fills a slot (described at the head of constructions.txt).
enum class SlotKind { kVerb, kRole, kNoun, kLike, kAdjective, kAdverb, kModal };

/// Returns the section of the lexicon that has the words for a kind of slot.
EntryKind entry_kind(SlotKind kind);

/// A place in a pattern that a word fills.
struct Slot {
  std::string name;
  SlotKind kind = SlotKind::kVerb;
  std::vector<std::string> classes;       ///< required classes of the word; with ! before it, forbidden ones
  std::size_t of = 0;                     ///< the slot of the verb or noun that it depends on
  std::string role;                       ///< kRole: subject, object, receiver or place
  std::vector<const Entry*> determiners;  ///< nouns: allowed determiners, repeated for a higher probability
  bool adjectives = false;                ///< nouns: may have an adjective
  bool referable = false;                 ///< nouns: only those that a pronoun can refer to
  bool place = false;                     ///< nouns: used with a preposition of place
  bool goal = false;                      ///< nouns: used with a preposition of direction

  bool has_classes(const Entry& word) const;
  /// Returns whether the word depends on that of the slot `of`.
  bool depends() const { return kind == SlotKind::kRole || kind == SlotKind::kLike || kind == SlotKind::kAdjective; }
  bool is_noun() const { return kind == SlotKind::kRole || kind == SlotKind::kNoun || kind == SlotKind::kLike; }
};

struct WordForm;  // data/grammar/sentence.h

/// An element of a pattern's line in one language: a word, or the form of a slot's word.
struct Piece {
  const WordForm* form = nullptr;    ///< of the word in `slot`; null for another element
  const Entry* agreement = nullptr;  ///< a word that agrees with `slot`
  std::string literal;
  std::size_t slot = 0;
  std::size_t argument = 0;  ///< the slot that determines the form's person or case
};

/// One sentence in three languages, with slots.
struct Pattern {
  std::vector<Slot> slots;
  std::array<std::vector<Piece>, kLanguages> pieces;
};

/// A kind of sentence, with its patterns.
struct Construction {
  std::string name;
  std::vector<Pattern> patterns;
};

/// A lexicon and the constructions that use it. It cannot be copied or moved: constructions point into the lexicon.
class Grammar {
 public:
  /// Parses both texts (data/grammar/lexicon.txt, constructions.txt). Throws DataError with the line and the reason.
  Grammar(std::string_view lexicon, std::string_view constructions);
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  const Lexicon& lexicon() const { return lexicon_; }
  const std::vector<Construction>& constructions() const { return constructions_; }

 private:
  Lexicon lexicon_;
  std::vector<Construction> constructions_;
};

/// Returns the grammar of the corpus "demo", parsed from lexicon.txt and constructions.txt of this folder.
const Grammar& demo_grammar();

}  // namespace gloss::grammar
