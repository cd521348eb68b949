#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "tokenizer/piece_table.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Loads the bytes of a tokenizer (Tokenizer::serialized): a SentencePiece model, or one with a vocabulary of its own
/// (MappedTokenizer). `name` is their name in messages. Throws ModelError.
std::shared_ptr<const Tokenizer> make_tokenizer(std::string bytes, const std::string& name);

/// Loads a file with such bytes. Throws DataError if it is missing, IoError if it cannot be read, ModelError as above.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path);

/// Checks a tokenizer that was not trained by gloss with tokenizer.symbols: throws UsageError naming the first of
/// `symbols` that is no user-defined piece of it. `name` is its name in messages.
void expect_symbols(const Tokenizer& tokenizer, std::span<const std::string> symbols, const std::string& name);

/// Maximum size of such bytes.
inline constexpr std::size_t kMaxTokenizerBytes = 96 << 20;

/// Returns the segmentation algorithm of such bytes, and the pieces by the ids of the tokenizer. Throws ModelError.
PieceTable piece_table_of(const std::string& bytes);

}  // namespace gloss
