#pragma once

#include <span>
#include <string>
#include <string_view>
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
/// Returns the form for the person of a noun from those of the first and third person and the plural.
const std::string& agreeing(const std::vector<std::string>& forms, const Choice& noun);
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

/// A word of a sentence, or several that always occur together.
struct Word {
  std::string text;
  bool article = false;  ///< an article, which may change or merge with its neighbor
};
using Words = std::vector<Word>;

/// Adds a word unless it is empty.
void append(Words& words, std::string text, bool article = false);
/// Returns a word, none if it is empty, and other words after it.
Words words_from(std::string text, const Words& after = {});

/// A word to be written.
struct FormPlace {
  const Lexicon& lexicon;
  const Sentence& sentence;
  const Choice& choice;    ///< the word, with its determiner and adjective
  const Choice& argument;  ///< the choice that determines its person or case, if the form has an argument
};

/// A form that the lines of a language may use: "[O relative object V]".
struct WordForm {
  EntryKind kind;
  std::string_view name;  ///< after the slot
  Words (*words)(const FormPlace&);
  bool has_argument = false;  ///< another slot follows
};

// The forms of each language, as constructions.txt lists them at its head.
std::span<const WordForm> english_forms();
std::span<const WordForm> german_forms();
std::span<const WordForm> chinese_forms();

}  // namespace gloss::grammar
