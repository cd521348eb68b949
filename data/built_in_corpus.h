#pragma once

#include <cstdint>
#include <filesystem>

namespace gloss {

enum class BuiltInCorpus { kCopy, kReverse };

struct BuiltInCorpusOptions {
  static constexpr std::int64_t kMostPairs = 10'000'000;
  static constexpr std::int64_t kMostWords = 4900;
  static constexpr std::int64_t kLongestSentence = 1000;

  BuiltInCorpus kind = BuiltInCorpus::kCopy;
  std::uint64_t seed = 1;
  std::int64_t size = 2000;  ///< training pairs; a tenth as many, at least 20, for validation and as many for the test
  std::int64_t words = 20;   ///< size of the vocabulary
  std::int64_t max_words = 8;  ///< words in a sentence, 1 to this
};

/// Writes {train,valid,test}.{source,target} into `folder` (made where absent): sentences of made-up words, the target
/// being the source, or the source's words from its end. No sentence stands there twice, in one of the three or in two.
/// Equal options give equal files. Memory grows by some 50 bytes a pair, however long the sentences. Throws UsageError
/// where an option is out of range or there are not that many sentences, IoError where the folder cannot be made or
/// written.
void make_built_in_corpus(const BuiltInCorpusOptions& options, const std::filesystem::path& folder);

}  // namespace gloss
