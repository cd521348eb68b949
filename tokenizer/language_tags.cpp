#include "tokenizer/language_tags.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

void add_tag(Id tag, PieceSpans& pieces) {
  pieces.ids.insert(pieces.ids.begin(), tag);
  pieces.spans.insert(pieces.spans.begin(), PieceSpans::Span{});
  pieces.tags = 1;
}

constexpr std::size_t kListed = 12;  // languages in a message

/// Returns "de, en, fr ... (202 in all; gloss inspect lists them)".
std::string some_of(const std::vector<std::string>& languages) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kListed, languages.size()); ++i)
    text.append(text.empty() ? "" : ", ").append(printable(languages[i], 40));
  if (languages.size() > kListed)
    text.append(" ... (" + std::to_string(languages.size()) + " in all; gloss inspect lists them)");
  return text;
}

std::shared_ptr<const Tokenizer> with_tag(std::shared_ptr<const Tokenizer> tokenizer, const std::string& language,
                                          std::string key) {
  const auto tag = tokenizer->language_tag(language);
  if (tag) return std::make_shared<TaggedTokenizer>(std::move(tokenizer), *tag);
  const auto known = tokenizer->languages();
  if (known.empty())
    throw UsageError({Key{std::move(key)}, ": needs a tokenizer with language tags, which this one lacks; set ",
                      Key{"tokenizer.source_tag"}, " to none and ", Key{"tokenizer.target_tag"}, " to false"});
  throw UsageError({Key{std::move(key)}, ": wanted a language of this model, one of " + some_of(known) + ", got " +
                                             (language.empty() ? "none" : printable(language, 80))});
}

void expect_effect(const std::string& given, const std::string& of_model, bool has_effect, const char* key) {
  if (given.empty() || has_effect || given == of_model) return;
  throw UsageError(
      {Key{key}, ": has no effect, since this model has no tag for it; leave it out, got " + printable(given, 80)});
}

}  // namespace

TaggedTokenizer::TaggedTokenizer(std::shared_ptr<const Tokenizer> tokenizer, Id tag)
    : tokenizer_(std::move(tokenizer)), tag_(tag) {}

Ids TaggedTokenizer::encode(std::string_view line) const {
  auto ids = tokenizer_->encode(line);
  if (!ids.empty()) ids.insert(ids.begin(), tag_);
  return ids;
}

std::string TaggedTokenizer::decode(std::span<const Id> ids) const {
  return tokenizer_->decode(!ids.empty() && ids.front() == tag_ ? ids.subspan(1) : ids);
}

PieceSpans TaggedTokenizer::encode_with_spans(std::string_view line) const {
  auto pieces = tokenizer_->encode_with_spans(line);
  if (!pieces.ids.empty()) add_tag(tag_, pieces);
  return pieces;
}

PieceSpans TaggedTokenizer::decode_with_spans(std::span<const Id> ids) const {
  if (ids.empty() || ids.front() != tag_) return tokenizer_->decode_with_spans(ids);
  auto pieces = tokenizer_->decode_with_spans(ids.subspan(1));
  add_tag(tag_, pieces);
  return pieces;
}

std::shared_ptr<const Tokenizer> tagged_source(std::shared_ptr<const Tokenizer> source, const TokenizerConfig& config,
                                               const Languages& languages, std::string_view keys) {
  switch (config.source_tag) {
    case SourceTag::kSource:
      return with_tag(std::move(source), languages.source, std::string(keys) + "source_language");
    case SourceTag::kTarget:
      return with_tag(std::move(source), languages.target, std::string(keys) + "target_language");
    default:
      return source;
  }
}

std::shared_ptr<const Tokenizer> tagged_target(std::shared_ptr<const Tokenizer> target, const TokenizerConfig& config,
                                               const Languages& languages, std::string_view keys) {
  if (!config.target_tag) return target;
  return with_tag(std::move(target), languages.target, std::string(keys) + "target_language");
}

Languages choose_languages(const Languages& given, const Languages& of_model, const TokenizerConfig& config) {
  expect_effect(given.source, of_model.source, config.source_tag == SourceTag::kSource, "source_language");
  expect_effect(given.target, of_model.target, config.source_tag == SourceTag::kTarget || config.target_tag,
                "target_language");
  return {given.source.empty() ? of_model.source : given.source, given.target.empty() ? of_model.target : given.target};
}

}  // namespace gloss
