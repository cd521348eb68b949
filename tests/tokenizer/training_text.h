#pragma once

#include <filesystem>
#include <string>

#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// Sentences in seven scripts, enough for a vocabulary of a few hundred pieces.
std::string training_text();

/// The bytes of a model trained on `text`.
std::string train_on(const std::string& text, const TokenizerConfig& config);

/// A small model of the kind, trained on training_text() with every character covered.
TokenizerConfig small_config(TokenizerType type = TokenizerType::kBpe);

void write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace gloss
