#pragma once

#include <string>
#include <vector>

#include "interchange/weight_map.h"
#include "tokenizer/mapped_tokenizer.h"

namespace gloss {

/// Returns the vocabulary of a MappedTokenizer: `pieces`, in the other program's numbering, in the order of gloss's
/// ids. A row without a piece gets an invented name, and a piece without a row is left out. Language tags of OPUS-MT
/// models (">>deu<<") become languages; the caller adds others.
MappedVocabulary mapped_vocabulary(const std::vector<std::string>& pieces, const PieceRows& rows,
                                   MappedVocabulary::Normalizer normalizer);

}  // namespace gloss
