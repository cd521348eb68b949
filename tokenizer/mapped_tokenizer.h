#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tokenizer/mapped_vocabulary.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// A SentencePiece model with any special ids, which splits text into pieces, and a separate vocabulary, which numbers
/// the pieces. A piece outside the vocabulary is unk. Models of other programs have such tokenizers.
///
///     const MappedTokenizer tokenizer({.pieces = pieces, .languages = {{"deu", 57}}}, read_file("source.spm"),
///     "name"); write_file("tokenizer.model", tokenizer.serialized());
class MappedTokenizer final : public Tokenizer {
 public:
  /// `sentencepiece`: the bytes of a `.model` file. `name`: name of the tokenizer in messages. Throws ModelError if the
  /// vocabulary is impossible (MappedVocabulary::validate) or the SentencePiece model cannot be loaded.
  MappedTokenizer(const MappedVocabulary& vocabulary, std::string_view sentencepiece, const std::string& name);
  /// Loads bytes of serialized(). Throws ModelError if they are damaged.
  MappedTokenizer(std::string serialized, const std::string& name);
  ~MappedTokenizer() override;

  /// Returns the ids of the pieces by their spelling, including characters that the SentencePiece model lacks.
  Ids encode(std::string_view line) const override;
  /// Joins the pieces: U+2581 becomes a space, spaces at the beginning are dropped, `<0xHH>` is a byte, and language
  /// tags are skipped.
  std::string decode(std::span<const Id> ids) const override;
  /// Encodes a line. The spans are places in the line before it was normalized.
  PieceSpans encode_with_spans(std::string_view line) const override;
  PieceSpans decode_with_spans(std::span<const Id> ids) const override;
  std::int64_t vocabulary_size() const override;
  bool encodes_words_separately() const override;
  std::optional<Id> language_tag(std::string_view language) const override;
  std::vector<std::string> languages() const override;
  const std::string& serialized() const override { return serialized_; }
  /// Returns the piece's spelling in the vocabulary.
  std::string piece(Id id) const override;

  const MappedVocabulary& vocabulary() const { return vocabulary_; }
  /// Returns the bytes of the SentencePiece model.
  std::string_view sentencepiece() const { return std::string_view(serialized_).substr(header_bytes_); }
  /// Returns the pieces by id, with scores and types of the SentencePiece model. Pieces that it lacks are control
  /// symbols.
  PieceTable piece_table() const;

 private:
  struct Processor;
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  Id id_of(std::string_view piece) const;
  const std::string& known_piece(Id id) const;

  std::string serialized_;
  MappedVocabulary vocabulary_;
  std::size_t header_bytes_ = 0;
  std::unordered_set<Id> tags_;
  std::unique_ptr<Processor> processor_;
  std::unordered_map<std::string, Id, TextHash, std::equal_to<>> ids_;  ///< of the pieces that text can become
};

}  // namespace gloss
