#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "common/files/line_reader.h"
#include "common/text/format.h"
#include "data/aligned_reader.h"

namespace gloss {

/// Returns a 64-bit hash of a line; never 0.
std::uint64_t hash_of_line(std::string_view line);
/// Returns a 64-bit hash of a sentence pair; never 0.
std::uint64_t hash_of_pair(std::string_view source, std::string_view target);

/// A set of hashes. Memory: 11 to 22 bytes for each; half as much again while it grows.
class LineHashes {
 public:
  /// Adds a hash. Returns false if the set has it already.
  bool insert(std::uint64_t hash);
  bool contains(std::uint64_t hash) const;
  std::size_t size() const { return size_; }

 private:
  std::size_t slot_of(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> slots_;  ///< a power of two of them; 0: free
  std::size_t size_ = 0;
};

/// The decision whether training uses a pair, with the reason if it does not.
enum class PairVerdict { kUsable, kTooLong, kInvalid, kHeldOut, kEmpty, kRatio, kCopied, kRepeated };

/// Rules by which training skips pairs that it could use (section `data` of the run file). The defaults skip no pairs.
struct PairFilters {
  double max_ratio = 0;        ///< pieces of the longer side over those of the shorter one; 0: no limit
  bool skip_copied = false;    ///< skip pairs whose source line is the target line
  bool skip_repeated = false;  ///< use the first of equal pairs only (RepeatedPairs)
};

/// The properties of a line that decide about its pair.
struct JudgedLine {
  bool cut = false;            ///< longer than LineReader::kMaxLineBytes
  bool is_text = true;         ///< UTF-8 without NUL, as far as the line was read
  std::int64_t pieces = 0;     ///< without eos; ignored for a line that is cut or invalid
  std::string_view text = {};  ///< the line itself

  /// Returns the properties that need no tokenizer. A line counts as one piece unless it is blank (is_blank). `text` is
  /// that of `line`.
  static JudgedLine of(const TextLine& line);
};

/// Returns the verdict as far as the bytes of the lines decide: kTooLong, kInvalid, or kUsable.
PairVerdict judge_bytes(const JudgedLine& source, const JudgedLine& target);

/// Returns the verdict on a pair that is not held out. `max_length` limits pieces and eos of either side; 0: no limit.
/// The ratio is that of Moses' clean-corpus-n.perl, counted in pieces: a pair is skipped if one side has more than
/// max_ratio times the pieces of the other, however short it is. RepeatedPairs judges repetitions.
PairVerdict judge_pair(const JudgedLine& source, const JudgedLine& target, std::int64_t max_length,
                       const PairFilters& filters = {});

/// Finds pairs of texts that repeat an earlier pair, for PairFilters::skip_repeated. Pairs are compared by hashes of 64
/// bits: among n different pairs, a pair is skipped by mistake with a probability of about n^2 / 2^65, which is 0.03 %
/// for a hundred million. Memory: that of LineHashes for each pair in use.
///
///     RepeatedPairs repeated(earlier_texts_of_stages(texts_of(stages)));
///     if (repeated.judge(text, source, target) == PairVerdict::kUsable) use(source, target);
class RepeatedPairs {
 public:
  /// `earlier` has for each text the earlier texts that its pairs are compared with.
  explicit RepeatedPairs(std::vector<std::vector<std::size_t>> earlier);

  /// Returns kRepeated if this text or one of its `earlier` texts has the pair in use; otherwise kUsable, and the pair
  /// is in use. Call it for each pair that judge_pair finds usable, in the order of texts and lines.
  PairVerdict judge(std::size_t text, std::string_view source, std::string_view target);

 private:
  std::vector<std::vector<std::size_t>> earlier_;
  std::vector<LineHashes> used_;  ///< the pairs in use, by text
};

/// Returns whether a text is likely to be in another encoding: more than 1 % of its lines or pairs are invalid.
bool has_other_encoding(std::int64_t invalid, std::int64_t lines);

/// The pairs of a text that encoding used and left out.
struct CorpusReport {
  std::int64_t lines = 0;
  std::int64_t pairs = 0;        ///< pairs in use
  NotedLines invalid_utf8 = {};  ///< or with a NUL
  NotedLines empty = {};         ///< no piece on one side or both
  NotedLines too_long = {};
  NotedLines ratio = {};     ///< skipped by PairFilters::max_ratio
  NotedLines copied = {};    ///< skipped by PairFilters::skip_copied
  NotedLines repeated = {};  ///< skipped by PairFilters::skip_repeated
  bool crlf = false;         ///< some lines ended in CRLF; the CR was dropped

  /// Counts the next pair. A pair that is held out is counted as a line only.
  void add(PairVerdict verdict);
};

/// Throws DataError if more than 1 % of the pairs are not UTF-8.
void expect_utf8(const TextFiles& files, const CorpusReport& report);
/// Throws DataError if the text has no pairs, or if none is in use. `max_length` is EncodingOptions::max_length.
void expect_usable(const TextFiles& files, const CorpusReport& report, std::int64_t max_length);

Json to_json(const CorpusReport& report);
/// Parses a report, also of a version without filters. Throws Json's own exceptions if a key is missing or has another
/// type.
CorpusReport read_corpus_report(const Json& json);

}  // namespace gloss
