#pragma once

#include <string>
#include <vector>

#include "data/grammar/grammar.h"

namespace gloss::grammar {

/// What fills a slot. A noun has a determiner, and an adjective or none; nothing else has.
struct Choice {
  const Entry* word = nullptr;
  const Entry* determiner = nullptr;
  const Entry* adjective = nullptr;

  bool operator==(const Choice&) const = default;
};

/// A pattern with its slots filled: what is said, in no language yet.
struct Sentence {
  const Construction* construction = nullptr;
  const Pattern* pattern = nullptr;
  std::vector<Choice> choices;  ///< in the order of the pattern's slots
};

/// What a finite verb agrees with.
enum class Person { kFirst, kThird, kPlural };

Person person(const Choice& noun);
inline bool is_plural(const Choice& noun) { return person(noun) == Person::kPlural; }
/// The pronoun by what a noun means: I, we, he, she, it or they.
const Entry& natural_pronoun(const Lexicon& lexicon, const Choice& noun);
/// Whether the determiner can stand with the noun.
bool can_stand(const Entry& determiner, const Entry& noun);
/// Whether a pronoun can take the noun up so that every language tells which.
bool is_referable(const Choice& noun);
/// Of the slot called S, whose possessive "own" is.
const Choice& owner(const Sentence& sentence);

/// The sentence in a language, with capital and punctuation.
std::string realize(const Lexicon& lexicon, const Sentence& sentence, Language language);

}  // namespace gloss::grammar
