#include "tokenizer/tagged_tokenizer.h"

#include <utility>

namespace gloss {
namespace {

void add_tag(Id tag, PieceSpans& pieces) {
  pieces.ids.insert(pieces.ids.begin(), tag);
  pieces.spans.insert(pieces.spans.begin(), PieceSpans::Span{});
  pieces.tags = 1;
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

}  // namespace gloss
