#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/config/json.h"
#include "interchange/refusals.h"

namespace gloss {

/// Adds the reasons why the library `tokenizers` of Hugging Face cannot cut lines as a SentencePiece model does. `name`
/// is the model's in messages. Throws ModelError if the bytes are malformed.
void check_tokenizer_json(std::string_view sentencepiece, const std::string& name, Refusals& refusals);

/// Returns the content of tokenizer.json: the same pieces with the same ids, and eos after each line. The special ids
/// are those of gloss. Text that spells a special piece, such as "</s>", is plain text in gloss. It also is in the
/// library if the tokenizer splits special tokens, as tokenizer_config.json demands, and is not of type unigram.
Json tokenizer_json(std::string_view sentencepiece);

/// Returns the content of tokenizer_config.json: names of the special pieces, and the maximum number of ids of a line,
/// eos included.
Json tokenizer_config_json(std::string_view sentencepiece, std::int64_t max_length);
/// Returns the content of special_tokens_map.json.
Json special_tokens_json(std::string_view sentencepiece);

}  // namespace gloss
