#pragma once

#include <span>
#include <string_view>

namespace gloss {

/// Words of a language that decide whether a period ends a sentence. Lists are separated by spaces. Abbreviations have
/// no period at their end; those in lower case are also found with capitals. An entry that ends with ~ is an ordinary
/// word of some other language, and counts in its own language only.
struct LanguageWords {
  std::string_view codes = {};          ///< of ISO 639: "de deu ger"
  std::string_view never = {};          ///< abbreviations that do not end a sentence: "bzw", "Mr"
  std::string_view before_number = {};  ///< that end none before a number: "Nr", "vol"
  std::string_view before_name = {};    ///< that end one before one of `starters` only: "usw", "Inc"
  std::string_view ends = {};           ///< that end one before any capital: "a.C"
  std::string_view starters = {};       ///< words with a capital at the start of a sentence only: "The", "Danach"
  std::string_view labels = {};         ///< nouns before a letter that is not an initial: "plan B"
  std::string_view objects = {};        ///< words that follow a verb at the start of a sentence: "Set it to 5"
  std::string_view reporting = {};      ///< verbs after a quotation and a name: "Go!" Peter said.
  bool number_ordinals = false;         ///< "29. Juli"
  bool roman_ordinals = false;          ///< "Karl IV. Gustav"
  bool vowelless_words = false;         ///< has ordinary words without vowels, so these are not abbreviations
};

/// Returns the words of each language.
std::span<const LanguageWords> language_words();

/// Returns the words that count in every language.
const LanguageWords& shared_words();

}  // namespace gloss
