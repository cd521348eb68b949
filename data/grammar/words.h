#pragma once

#include <string>
#include <vector>

#include "data/grammar/sentence.h"

namespace gloss::grammar {

/// What stands in a sentence: a word, or several that always stand together.
struct Word {
  std::string text;
  bool article = false;  ///< an article, which may change or merge with its neighbor
};
using Words = std::vector<Word>;

/// A piece in the three languages; the choices are those of the sentence's slots.
Words english_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece);
Words german_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece);
Words chinese_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece);

/// The words that are not empty.
void append(Words& words, std::string text, bool article = false);

}  // namespace gloss::grammar
