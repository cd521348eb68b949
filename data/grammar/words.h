#pragma once

#include <string>
#include <vector>

#include "data/grammar/sentence.h"

namespace gloss::grammar {

/// A word of a sentence, or several that always occur together.
struct Word {
  std::string text;
  bool article = false;  ///< an article, which may change or merge with its neighbor
};
using Words = std::vector<Word>;

/// Returns the words of a piece in one language, from the choices of the sentence.
Words english_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece);
Words german_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece);
Words chinese_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece);

/// Adds a word unless it is empty.
void append(Words& words, std::string text, bool article = false);

}  // namespace gloss::grammar
