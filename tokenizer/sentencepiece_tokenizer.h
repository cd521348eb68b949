#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace gloss {

/// A SentencePiece model (Kudo and Richardson 2018).
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// From the bytes of a `.model` file. `name` stands for them in messages. Throws ModelError where they do not parse
  /// or the special ids are not pad 0, unk 1, bos 2, eos 3 (with the remedy).
  SentencePieceTokenizer(std::string serialized, const std::string& name);
  /// From a `.model` file. Throws DataError where it is missing, IoError where it cannot be read, ModelError as above.
  static std::shared_ptr<const SentencePieceTokenizer> load(const std::filesystem::path& path);
  ~SentencePieceTokenizer() override;

  Ids encode(std::string_view line) const override;
  std::string decode(std::span<const Id> ids) const override;
  PieceSpans encode_placed(std::string_view line) const override;
  PieceSpans decode_placed(std::span<const Id> ids) const override;
  std::int64_t vocabulary_size() const override;
  const std::string& serialized() const override;

  /// As the model spells it, U+2581 standing for a space.
  std::string piece(Id id) const override;

 private:
  struct Processor;

  void expect_known(Id id) const;
  std::vector<int> written(std::span<const Id> ids) const;  ///< without pad, bos and eos

  std::unique_ptr<Processor> processor_;
  std::string serialized_;
};

}  // namespace gloss
