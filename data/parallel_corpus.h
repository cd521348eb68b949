#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "common/noted_lines.h"
#include "data/batch.h"
#include "data/sentence_store.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// A text is UTF-8 where at most one line in so many is not.
inline constexpr std::int64_t kLinesToOneInvalid = 100;

/// Throws DataError, stating both, where two aligned texts differ in their counts of lines.
void expect_equal_counts(const std::filesystem::path& source, std::int64_t source_lines,
                         const std::filesystem::path& target, std::int64_t target_lines);

/// Why pairs were left out, and which.
struct CorpusReport {
  std::int64_t lines = 0;
  NotedLines invalid_utf8;  ///< or with a NUL
  NotedLines empty;         ///< no piece on one side or both
  NotedLines too_long;
  bool crlf = false;  ///< lines ended in CRLF; the CR was dropped
};

/// Aligned sentences as ids, pieces and eos. Reading takes no more memory than that: 4 bytes a token and 8 a sentence
/// and side, and a line of each file.
class ParallelCorpus {
 public:
  struct Options {
    std::int64_t max_length = 256;           ///< pieces and eos, either side; 0: no limit
    std::function<void()> before_pair = {};  ///< where there is one, called before each pair; may throw to give up
  };

  /// Reads both files once, line by line. Throws DataError: line counts differ (both are stated), more than 1 % of the
  /// lines are not UTF-8, nothing is left; and for what is no text file, as LineReader.
  static ParallelCorpus read(const std::filesystem::path& source, const std::filesystem::path& target,
                             const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                             const Options& options);

  std::int64_t size() const { return sources_.size(); }
  std::span<const Id> source(std::int64_t index) const { return sources_[index]; }  ///< pieces and eos
  std::span<const Id> target(std::int64_t index) const { return targets_[index]; }  ///< pieces and eos
  const CorpusReport& report() const { return report_; }
  std::int64_t source_length(std::int64_t index) const { return std::ssize(source(index)); }
  std::int64_t target_length(std::int64_t index) const { return std::ssize(target(index)); }
  /// SHA-256 over ids and boundaries of both sides.
  const std::string& hash() const { return hash_; }

  Batch batch(std::span<const std::int64_t> indices) const;

 private:
  void finish();

  SentenceStore sources_, targets_;
  CorpusReport report_;
  std::string hash_;
};

}  // namespace gloss
