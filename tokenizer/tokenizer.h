#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/special_ids.h"
#include "tokenizer/piece_spans.h"

namespace gloss {

/// Text to ids and back. What data and decoding know of a tokenizer; safe to share between threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The pieces of one line of valid UTF-8, without bos or eos. Text that spells a special symbol is plain text.
  virtual Ids encode(std::string_view line) const = 0;
  /// Text of the ids; pad, bos and eos are left out, unk becomes " ⁇ ". Always one line of valid UTF-8. Throws
  /// ModelError on an id outside the vocabulary.
  virtual std::string decode(std::span<const Id> ids) const = 0;
  /// The same, and which part of the line each piece is, as the line spells it. Throws Error, a fault of the caller, by
  /// a tokenizer that cannot tell.
  virtual PieceSpans encode_placed(std::string_view line) const;
  /// decode(ids), and what each of them wrote of it; `placed` is false where the tokenizer rewrites the text
  /// behind its pieces. Throws as decode, and Error as encode_placed.
  virtual PieceSpans decode_placed(std::span<const Id> ids) const;
  virtual std::int64_t vocabulary_size() const = 0;
  /// How a piece is spelt, for a person to read. Throws ModelError on an id outside the vocabulary.
  virtual std::string piece(Id id) const { return decode({&id, 1}); }
  /// The bytes that a model file keeps, from which an equal tokenizer is made.
  virtual const std::string& serialized() const = 0;
};

}  // namespace gloss
