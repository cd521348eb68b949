#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/grammar/lexicon.h"

namespace gloss::grammar {

/// How a slot is filled (constructions.txt, at its head).
enum class SlotKind { kVerb, kRole, kNoun, kLike, kAdjective, kAdverb, kModal };

/// The words that such a slot is filled with.
EntryKind entry_kind(SlotKind kind);

struct Slot {
  std::string name;
  SlotKind kind = SlotKind::kVerb;
  std::vector<std::string> classes;       ///< what its word must have; with ! before it, must not have
  std::size_t of = 0;                     ///< the slot of the verb, or of the noun, that it goes with
  std::string role;                       ///< kRole: subject, object, receiver or place
  std::vector<const Entry*> determiners;  ///< nouns: how they may stand, some more than once
  bool adjectives = false;                ///< nouns: may have an adjective
  bool referable = false;                 ///< nouns: only those that a pronoun can take up
  bool place = false;                     ///< nouns: the lines ask where it is
  bool goal = false;                      ///< nouns: the lines ask where somebody goes

  bool has_classes(const Entry& word) const;
  bool is_noun() const { return kind == SlotKind::kRole || kind == SlotKind::kNoun || kind == SlotKind::kLike; }
};

/// The form in which a slot's word stands.
enum class Use {
  kLiteral,
  kAgreement,
  kPlain,
  // Of a noun.
  kObject,
  kNominative,
  kAccusative,
  kDative,
  kGoverned,
  kPronoun,
  kPronounObject,
  kPronounNominative,
  kPronounAccusative,
  kPronounGoverned,
  kRelative,
  kRelativeNominative,
  kRelativeGoverned,
  kAt,
  kTo,
  kOnto,
  kLocal,
  // Of a verb.
  kBase,
  kPresent,
  kPast,
  kIng,
  kFinite,
  kJoined,
  kPrefix,
  kInfinitive,
  kZu,
  kParticiple,
  kAux,
  kNot,
  // Of an adjective.
  kComparative,
  kStem,
  kAsk,
  // Of a modal verb.
  kNo,
};

/// A word of a language's line.
struct Piece {
  Use use = Use::kLiteral;
  std::string literal;
  std::size_t slot = 0;
  std::size_t argument = 0;          ///< the slot whose person or whose case it takes
  const Entry* agreement = nullptr;  ///< kAgreement
};

/// One sentence in three languages, with slots.
struct Pattern {
  std::vector<Slot> slots;
  std::array<std::vector<Piece>, kLanguages> pieces;
};

struct Construction {
  std::string name;
  std::vector<Pattern> patterns;
};

/// A lexicon and the constructions that use it. Neither copied nor moved: constructions point into the lexicon.
class Grammar {
 public:
  /// Throws DataError that names the line and what is wrong with it.
  Grammar(std::string_view lexicon, std::string_view constructions);
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  const Lexicon& lexicon() const { return lexicon_; }
  const std::vector<Construction>& constructions() const { return constructions_; }

 private:
  Lexicon lexicon_;
  std::vector<Construction> constructions_;
};

/// The grammar of the corpus "demo", as the files beside this one have it.
const Grammar& demo_grammar();

}  // namespace gloss::grammar
