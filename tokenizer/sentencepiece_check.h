#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// SentencePiece trusts the files that it reads, and a crafted one makes it read outside its memory. This walks over
/// the bytes first and throws ModelError("name: ...") unless they are a well-formed protocol buffer with pieces (each
/// once, short UTF-8, finite score) and normalization tables whose every reference stays inside them.
void check_sentencepiece_model(std::string_view bytes, const std::string& name);

/// Throws ModelError("name: ...") where the training settings in a checked model state other special ids than pad 0,
/// unk 1, bos 2 and eos 3. SentencePiece reads the ids from the pieces only; other programs read them from here.
void check_stated_ids(std::string_view bytes, const std::string& name);

}  // namespace gloss
