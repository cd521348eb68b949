#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Validates the bytes of a SentencePiece model and returns the same model, written anew from what was read. Throws
/// ModelError("name: ...") unless they are a well-formed protocol buffer with pieces (each once, short UTF-8, finite
/// score, known type) and normalization tables without circles, long texts or references outside of them. SentencePiece
/// itself trusts its files: a crafted one makes it read out of bounds. It gets the new bytes only, so that nothing that
/// gloss overlooks or reads otherwise reaches it.
std::string check_sentencepiece_model(std::string_view bytes, const std::string& name);

}  // namespace gloss
