#pragma once

#include <cstdint>
#include <filesystem>

namespace gloss {

/// The task of a built-in corpus: the target is the source, or the source's words in reverse order.
enum class BuiltInCorpus { kCopy, kReverse };

/// Options of make_built_in_corpus.
struct BuiltInCorpusOptions {
  static constexpr std::int64_t kMaxPairs = 10'000'000;
  static constexpr std::int64_t kMaxWords = 4900;
  static constexpr std::int64_t kMaxSentenceWords = 1000;

  BuiltInCorpus kind = BuiltInCorpus::kCopy;
  std::uint64_t seed = 1;
  std::int64_t size = 2000;    ///< training pairs; validation and test have a tenth as many each, at least 20
  std::int64_t words = 20;     ///< size of the vocabulary
  std::int64_t max_words = 8;  ///< words in a sentence, 1 to this
};

/// Writes a corpus of made-up words into `folder`, which is created if it is missing. The files are
/// {train,valid,test}.{source,target}. No sentence occurs twice, neither within one of the three sets nor in two of
/// them. Equal options give equal files. Memory grows by some 50 bytes a pair, independent of the sentence length.
/// Throws UsageError if an option is out of range or there are fewer sentences than needed, and IoError if the folder
/// cannot be created or written.
void make_built_in_corpus(const BuiltInCorpusOptions& options, const std::filesystem::path& folder);

}  // namespace gloss
