#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/batch.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Why pairs were left out (or, where all are kept, what was found), with the first line numbers (from 1) of each
/// reason.
struct CorpusReport {
  struct Reason {
    std::int64_t count = 0;
    std::vector<std::int64_t> first_lines;  ///< at most five
  };
  std::int64_t lines = 0;
  Reason invalid_utf8;  ///< or with a NUL
  Reason empty;         ///< no piece on one side or both
  Reason too_long;
  bool crlf = false;  ///< lines ended in CRLF; the CR was dropped
};

/// Aligned sentences as ids, pieces and eos, in two flat arrays: 4 bytes a token and 8 a sentence and side.
class ParallelCorpus {
 public:
  struct Options {
    std::int64_t max_length = 256;  ///< pieces and eos, either side; 0: no limit
    /// For scoring: no pair is left out; broken UTF-8 becomes U+FFFD, a line of more than LineReader's limit is cut.
    bool keep_all = false;
  };

  /// Reads both files once, line by line. Throws DataError: line counts differ (both are stated), more than 1 % of the
  /// lines are not UTF-8 (unless all are kept), nothing is left; and for what is no text file, as LineReader.
  static ParallelCorpus read(const std::filesystem::path& source, const std::filesystem::path& target,
                             const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                             const Options& options);

  std::int64_t size() const { return static_cast<std::int64_t>(source_begin_.size()) - 1; }
  std::span<const Id> source(std::int64_t index) const;  ///< pieces and eos
  std::span<const Id> target(std::int64_t index) const;  ///< pieces and eos
  const CorpusReport& report() const { return report_; }
  /// SHA-256 over ids and boundaries of both sides.
  const std::string& hash() const { return hash_; }

  Batch batch(std::span<const std::int64_t> indices) const;

 private:
  void add(const Ids& source, const Ids& target);
  void finish();

  std::vector<Id> source_ids_, target_ids_;
  std::vector<std::int64_t> source_begin_{0}, target_begin_{0};
  CorpusReport report_;
  std::string hash_;
};

}  // namespace gloss
