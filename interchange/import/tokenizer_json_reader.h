#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "interchange/refusals.h"

namespace gloss {

/// The tokenizer of a tokenizer.json, a file of Hugging Face's library `tokenizers`.
struct TokenizerJson {
  std::vector<std::string> pieces = {};  ///< of the model, by row
  std::int64_t unk = -1;                 ///< row of the unknown word
  std::string sentencepiece = {};  ///< bytes of a SentencePiece model with the same pieces, which cuts in the same way
};

/// Returns the pieces of `added_tokens`, such as language tags, by row: [{"id": 256001, "content": "ace_Arab", ...}].
std::map<std::int64_t, std::string> added_pieces(const Json& tokenizer);

/// Writes the SentencePiece model for a tokenizer of type Unigram or BPE. Special tokens become control symbols, and
/// the scores of BPE follow the order of its merges. Adds the reasons why SentencePiece cannot cut in the same way to
/// `refusals`; `name` is the file's in messages.
TokenizerJson read_tokenizer_json(const Json& tokenizer, const std::string& name, Refusals& refusals);

}  // namespace gloss
