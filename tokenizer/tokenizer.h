#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {

/// Converts text to ids and back: the interface for data and decoding. Safe to share between threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Returns the pieces of one line of valid UTF-8, without bos or eos. Text that spells a special symbol is plain
  /// text.
  virtual Ids encode(std::string_view line) const = 0;
  /// Returns the text of the ids: one line of valid UTF-8. pad, bos and eos are skipped, unk becomes " ⁇ ". Throws
  /// ModelError for an id outside the vocabulary.
  virtual std::string decode(std::span<const Id> ids) const = 0;
  /// Encodes a line and returns the span of each piece in it. Throws Error (a defect of the caller) if the
  /// tokenizer does not support this.
  virtual PieceSpans encode_with_spans(std::string_view line) const;
  /// Returns decode(ids) and the byte range that each id wrote. `spans_known` is false if the tokenizer rewrites the
  /// text after joining its pieces. Throws as decode, and Error as encode_with_spans.
  virtual PieceSpans decode_with_spans(std::span<const Id> ids) const;
  virtual std::int64_t vocabulary_size() const = 0;
  /// Returns whether the ids of a line are the ids of its words, which U+0020 separates, one after the other.
  virtual bool encodes_words_separately() const { return false; }
  /// Returns whether eos follows the pieces of a source; the caller of encode adds it. False for networks that were
  /// trained on sources without it, as OpenNMT's are.
  virtual bool has_source_eos() const { return true; }
  /// Returns a piece's spelling for display. Throws ModelError for an id outside the vocabulary.
  virtual std::string piece(Id id) const { return decode({&id, 1}); }
  /// Returns the bytes that a model file stores, from which an equal tokenizer is loaded (make_tokenizer).
  virtual const std::string& serialized() const = 0;

  /// Returns the tag of a language: a token that stands for it in the sources or targets of a model of several
  /// languages. Empty if the vocabulary has none.
  virtual std::optional<Id> language_tag(std::string_view) const { return std::nullopt; }
  /// Returns the names of the languages with a tag, in ascending order.
  virtual std::vector<std::string> languages() const { return {}; }
  /// Returns the tag that encode adds in front of the pieces (language_tags.h); empty: none.
  virtual std::optional<Id> tag() const { return std::nullopt; }
  /// Returns the tokenizer without this tag, which encodes parts of a line.
  virtual const Tokenizer& untagged() const { return *this; }

 protected:
  /// Throws ModelError for an id outside the vocabulary.
  void expect_known(Id id) const;
};

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
