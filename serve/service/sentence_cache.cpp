#include "serve/service/sentence_cache.h"

#include "common/files/sha256.h"

namespace gloss {
namespace {

std::size_t size_of(const std::string& key, const SentenceTranslation& translation) {
  constexpr std::size_t kNodes = 128;  // of the list and the map, with what an allocation takes
  return kNodes + sizeof(translation) + key.size() + translation.text.size() +
         translation.links.size() * sizeof(translation.links[0]);
}

}  // namespace

std::optional<SentenceTranslation> SentenceCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) {
    ++misses_;
    return std::nullopt;
  }
  ++hits_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->translation;
}

void SentenceCache::put(const std::string& key, const SentenceTranslation& translation) {
  const auto bytes = size_of(key, translation);
  const std::lock_guard lock(mutex_);
  if (places_.contains(key)) return;  // another request had the sentence meanwhile
  entries_.push_front({key, translation, bytes});
  places_.emplace(entries_.front().key, entries_.begin());
  for (bytes_ += bytes; bytes_ > max_bytes_; entries_.pop_back()) {
    bytes_ -= entries_.back().bytes;
    places_.erase(entries_.back().key);
  }
}

std::vector<SentenceTranslation> CachedSentences::translate(std::span<const SentenceRequest> sentences) const {
  if (cache_ == nullptr) return sentences_.translate(sentences);
  std::vector<SentenceTranslation> result(sentences.size());
  std::vector<std::string> keys;
  std::vector<std::size_t> places;  // of the sentences that the cache lacks
  std::vector<SentenceRequest> missing;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    auto text = options_ + '\0' + sentences[i].text;
    for (const auto& required : sentences[i].required) text.append(1, '\0').append(required);
    auto key = sha256(text);
    if (auto found = cache_->find(key)) {
      result[i] = std::move(*found);
      continue;
    }
    keys.push_back(std::move(key));
    places.push_back(i);
    missing.push_back(sentences[i]);
  }
  if (missing.empty()) return result;
  auto translations = sentences_.translate(missing);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (translations[i].complete) cache_->put(keys[i], translations[i]);
    result[places[i]] = std::move(translations[i]);
  }
  return result;
}

}  // namespace gloss
