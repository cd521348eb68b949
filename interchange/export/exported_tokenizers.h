#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tokenizer/mapped_tokenizer.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// Returns the tokenizers by the names of their files: tokenizer.model, or source_tokenizer.model and
/// target_tokenizer.model.
std::vector<std::pair<std::string, const Tokenizer*>> named_tokenizers(const TranslationModel& model);

/// Returns the tokenizer if it has ids of its own, otherwise null.
const MappedTokenizer* as_mapped(const Tokenizer& tokenizer);

/// Returns the spellings of the pieces by id.
std::vector<std::string> pieces_by_id(const Tokenizer& tokenizer);

/// Returns the bytes of the SentencePiece model that cuts lines for a tokenizer.
std::string sentencepiece_bytes(const Tokenizer& tokenizer);

}  // namespace gloss
