#pragma once

#include <string>
#include <vector>

#include "data/grammar/grammar.h"

namespace gloss::grammar {

/// The words that fill a slot. Only a noun has a determiner and may have an adjective.
struct Choice {
  const Entry* word = nullptr;
  const Entry* determiner = nullptr;
  const Entry* adjective = nullptr;

  bool operator==(const Choice&) const = default;
};

/// A pattern with filled slots: the meaning of a sentence, independent of a language.
struct Sentence {
  const Construction* construction = nullptr;
  const Pattern* pattern = nullptr;
  std::vector<Choice> choices;  ///< in the order of the pattern's slots
};

/// The person and number that a finite verb agrees with.
enum class Person { kFirst, kThird, kPlural };

Person person(const Choice& noun);
inline bool is_plural(const Choice& noun) { return person(noun) == Person::kPlural; }
/// Returns the pronoun by the meaning of a noun: I, we, he, she, it or they.
const Entry& natural_pronoun(const Lexicon& lexicon, const Choice& noun);
/// Returns whether the determiner goes with the noun.
bool can_stand(const Entry& determiner, const Entry& noun);
/// Returns whether a pronoun can refer to the noun without ambiguity in every language.
bool is_referable(const Choice& noun);
/// Returns the choice of the slot S, the owner that the determiner "own" refers to.
const Choice& owner(const Sentence& sentence);

/// Returns the sentence in a language, with capital and punctuation.
std::string realize(const Lexicon& lexicon, const Sentence& sentence, Language language);

}  // namespace gloss::grammar
