#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

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
  bool has_source_eos() const override { return tokenizer_->has_source_eos(); }
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

/// The languages of a translation, as the user names them; empty: not named.
struct Languages {
  std::string source, target;
};

/// Returns the tokenizer of sources, which adds the tag that tokenizer.source_tag selects, if any. `keys` begins the
/// names of the settings in messages: "data." or "". Throws UsageError naming the setting and some known languages if
/// the language is not named or has no tag.
std::shared_ptr<const Tokenizer> tagged_source(std::shared_ptr<const Tokenizer> source, const TokenizerConfig& config,
                                               const Languages& languages, std::string_view keys);
/// Returns the tokenizer of targets in the same way, as tokenizer.target_tag selects.
std::shared_ptr<const Tokenizer> tagged_target(std::shared_ptr<const Tokenizer> target, const TokenizerConfig& config,
                                               const Languages& languages, std::string_view keys);

/// Returns the languages of a call: those of `given`, otherwise those of the model. Throws UsageError with the key
/// "source_language" or "target_language" if a language is given that differs from the model's and has no effect.
Languages choose_languages(const Languages& given, const Languages& of_model, const TokenizerConfig& config);

}  // namespace gloss
