#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/sentencepiece_library.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// A SentencePiece model (Kudo and Richardson 2018).
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// Loads the bytes of a `.model` file. `name` is their name in messages. Throws ModelError, with the remedy, if they
  /// cannot be parsed or the special ids are not pad 0, unk 1, bos 2, eos 3.
  SentencePieceTokenizer(std::string serialized, const std::string& name);
  /// Loads a `.model` file. Throws DataError if it is missing, IoError if it cannot be read, ModelError as above.
  static std::shared_ptr<const SentencePieceTokenizer> load(const std::filesystem::path& path);

  Ids encode(std::string_view line) const override;
  std::string decode(std::span<const Id> ids) const override;
  PieceSpans encode_with_spans(std::string_view line) const override;
  PieceSpans decode_with_spans(std::span<const Id> ids) const override;
  std::int64_t vocabulary_size() const override;
  /// Returns the result of separates_words (tokenizer/cached_encoder.h).
  bool encodes_words_separately() const override;
  const std::string& serialized() const override;

  /// Returns the piece's text in the model, with U+2581 for a space.
  std::string piece(Id id) const override;

 private:
  std::vector<int> written(std::span<const Id> ids) const;  ///< without pad, bos and eos

  SentencePiece model_;
  std::string serialized_;
};

}  // namespace gloss
