#include "alignment/line_ids.h"

#include <algorithm>
#include <iterator>

#include "common/error.h"

namespace gloss {
namespace {

void for_each_word(std::string_view line, std::string_view separators, const auto& take) {
  for (auto begin = line.find_first_not_of(separators); begin < line.size();) {
    const auto end = std::min(line.find_first_of(separators, begin), line.size());
    take(line.substr(begin, end - begin));
    begin = line.find_first_not_of(separators, end);
  }
}

}  // namespace

void throw_changed_text() { throw DataError("a text has changed since it was first read; align it again"); }

LineIds::LineIds(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)), by_word_(tokenizer_ == nullptr || tokenizer_->encodes_words_separately()) {}

void LineIds::learn(std::string_view line) {
  if (!by_word_) return;
  for_each_word(line, tokenizer_ == nullptr ? " \t" : " ", [this](std::string_view word) {
    if (ids_.contains(word)) return;
    auto ids = tokenizer_ == nullptr ? Ids{static_cast<Id>(words_.size())} : tokenizer_->encode(word);
    const auto& [spelling, stored] = *ids_.emplace(word, std::move(ids)).first;
    if (tokenizer_ == nullptr) words_.push_back(&spelling);
  });
}

Ids LineIds::encode(std::string_view line) const {
  if (!by_word_) return tokenizer_->encode(line);
  Ids ids;
  for_each_word(line, tokenizer_ == nullptr ? " \t" : " ", [&](std::string_view word) {
    const auto known = ids_.find(word);
    if (known == ids_.end()) throw_changed_text();
    ids.insert(ids.end(), known->second.begin(), known->second.end());
  });
  return ids;
}

std::int64_t LineIds::size() const {
  return tokenizer_ == nullptr ? std::ssize(words_) : tokenizer_->vocabulary_size();
}

std::string LineIds::spelling(Id id) const {
  return tokenizer_ == nullptr ? *words_[static_cast<std::size_t>(id)] : tokenizer_->piece(id);
}

}  // namespace gloss
