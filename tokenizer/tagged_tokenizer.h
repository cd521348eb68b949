#pragma once

#include <memory>

#include "tokenizer/tokenizer.h"

namespace gloss {

/// A tokenizer that puts a language tag in front of the pieces of each line and removes it when decoding.
class TaggedTokenizer final : public Tokenizer {
 public:
  /// `tag`: an id of the tokenizer's vocabulary.
  TaggedTokenizer(std::shared_ptr<const Tokenizer> tokenizer, Id tag);

  /// Returns the tag and the pieces; without a tag for a line that has no pieces.
  Ids encode(std::string_view line) const override;
  std::string decode(std::span<const Id> ids) const override;
  /// Encodes a line. The tag has an empty span at the beginning of the text. PieceSpans::tags counts it.
  PieceSpans encode_with_spans(std::string_view line) const override;
  PieceSpans decode_with_spans(std::span<const Id> ids) const override;
  std::int64_t vocabulary_size() const override { return tokenizer_->vocabulary_size(); }
  std::string piece(Id id) const override { return tokenizer_->piece(id); }
  /// Returns the bytes of the tokenizer without the tag.
  const std::string& serialized() const override { return tokenizer_->serialized(); }
  std::optional<Id> language_tag(std::string_view language) const override {
    return tokenizer_->language_tag(language);
  }
  std::vector<std::string> languages() const override { return tokenizer_->languages(); }
  std::optional<Id> tag() const override { return tag_; }
  const Tokenizer& untagged() const override { return *tokenizer_; }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  Id tag_;
};

}  // namespace gloss
