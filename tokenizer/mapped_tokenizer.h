#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/special_ids.h"
#include "tokenizer/sentencepiece_library.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// The vocabulary of a MappedTokenizer.
struct MappedVocabulary {
  enum class Normalizer {
    kNone,
    kOpusMt,  ///< opus_normalized (tokenizer/opus_normalizer.h), before SentencePiece's own normalization
  };

  /// By id, with U+2581 for a space. Ids 0 to 3 are pad, unk, bos and eos. The others are distinct. Each is nonempty
  /// UTF-8 of at most 1000 bytes without NUL.
  std::vector<std::string> pieces = {};
  Normalizer normalizer = Normalizer::kNone;
  /// Ids of language tags, from 4, by the name of the language. Two names may share a tag. Text never becomes a tag.
  std::map<std::string, Id, std::less<>> languages = {};
  bool has_source_eos = true;  ///< see Tokenizer

  /// Throws ModelError("name: ...") if the above does not hold.
  void validate(const std::string& name) const;
  /// Returns the tag of a language, if there is one. The name may be spelled with other cases or with "-" for
  /// "_", or be the beginning of just one name up to a "_" or "-": "deu" for "deu_Latn".
  std::optional<Id> tag_of(std::string_view language) const;
};

/// Returns the header of a stored MappedTokenizer: a magic line and a line of JSON (docs/file_formats.md).
std::string to_header(const MappedVocabulary& vocabulary);
/// Returns whether bytes begin with the magic line.
bool has_mapped_header(std::string_view bytes);

/// A vocabulary and the size of its header.
struct ParsedVocabulary {
  MappedVocabulary vocabulary;
  std::size_t header_bytes = 0;
};
/// Parses the header at the beginning of `bytes` and validates the vocabulary. Throws ModelError("name: ...").
ParsedVocabulary parse_header(std::string_view bytes, const std::string& name);

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
  bool has_source_eos() const override { return vocabulary_.has_source_eos; }
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
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  Id id_of(std::string_view piece) const;
  const std::string& known_piece(Id id) const;

  std::string serialized_;
  MappedVocabulary vocabulary_;
  std::size_t header_bytes_ = 0;
  std::unordered_set<Id> tags_;
  SentencePiece model_;
  std::unordered_map<std::string, Id, TextHash, std::equal_to<>> ids_;  ///< of the pieces that text can become
};

}  // namespace gloss
