#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "documents/sentence_translator.h"

namespace gloss {

/// The translations of sentences that were asked for last, up to a number of bytes. Thread-safe.
class SentenceCache {
 public:
  explicit SentenceCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::optional<SentenceTranslation> find(const std::string& key);
  /// Keeps a translation; those that were not asked for the longest make room.
  void put(const std::string& key, const SentenceTranslation& translation);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    std::string key;
    SentenceTranslation translation;
    std::size_t bytes;  ///< about
  };

  const std::size_t max_bytes_;
  std::atomic<std::uint64_t> hits_ = 0, misses_ = 0;
  std::mutex mutex_;          ///< guards what follows
  std::list<Entry> entries_;  ///< the one asked for last first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> places_;
  std::size_t bytes_ = 0;
};

/// Translates sentences, those that a cache has without a model.
class CachedSentences final : public SentenceTranslator {
 public:
  /// `cache` may be null. `options` names all that a translation depends on beside the sentence: the model, and the
  /// glossary.
  CachedSentences(const SentenceTranslator& sentences, SentenceCache* cache, std::string options)
      : sentences_(sentences), cache_(cache), options_(std::move(options)) {}

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override;
  bool fits(std::string_view sentence) const override { return sentences_.fits(sentence); }
  bool can_spell(std::string_view text) const override { return sentences_.can_spell(text); }
  std::vector<TextSpan> phrases(std::string_view text) const override { return sentences_.phrases(text); }

 private:
  const SentenceTranslator& sentences_;
  SentenceCache* cache_;
  const std::string options_;
};

}  // namespace gloss
