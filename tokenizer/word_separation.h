#pragma once

#include <string_view>

namespace gloss {

/// Returns whether a SentencePiece model, given as its bytes, encodes the words of a line independently. The ids of a
/// line are then those of its words (separated by U+0020) one after the other.
///
/// True for BPE and character models that gloss trains. False for unigram models, whose best segmentation is a sum over
/// the line, and if a piece may reach across a space: user-defined symbols, unused pieces, pieces with a space inside,
/// or another treatment of spaces than SentencePiece's default. Throws ModelError if the bytes are no model.
bool separates_words(std::string_view model);

}  // namespace gloss
