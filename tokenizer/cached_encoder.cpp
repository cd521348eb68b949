#include "tokenizer/cached_encoder.h"

#include <algorithm>

namespace gloss {

CachedEncoder::CachedEncoder(const Tokenizer& tokenizer)
    : tokenizer_(&tokenizer), splits_(tokenizer.encodes_words_separately()) {}

Ids CachedEncoder::encode(std::string_view line) {
  if (!splits_) return tokenizer_->encode(line);
  Ids ids;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    if (end > 0) append_word(line.substr(0, end), ids);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return ids;
}

void CachedEncoder::append_word(std::string_view word, Ids& ids) {
  const auto found = words_.find(word);
  if (found != words_.end()) {
    ids.insert(ids.end(), found->second.begin(), found->second.end());
    return;
  }
  auto pieces = tokenizer_->encode(word);
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  if (words_.size() < kMaxWords && word.size() <= kMaxWordBytes) words_.emplace(word, std::move(pieces));
}

}  // namespace gloss
