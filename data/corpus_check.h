#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/pair_verdict.h"
#include "data/text_check.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Consecutive pairs of a text whose lines do not belong together.
struct ShiftedLines {
  std::int64_t first = 0, last = 0;  ///< lines, in steps of LengthShifts::kBlock
  int shift = 0;                     ///< line n of the source seems to belong to line n + shift of the target
};

/// Finds blocks of lines that are shifted against each other, by the lengths of their sides: a translation of a long
/// line is long (Gale and Church 1993). Memory: 4 bytes a pair.
class LengthShifts {
 public:
  static constexpr std::size_t kBlock = 50;  ///< pairs that are judged together
  static constexpr int kMaxShift = 3;

  /// Adds the lengths of a pair in characters, of every pair in order.
  void add(std::int64_t source, std::int64_t target);
  /// Returns the shifted ranges: those in which the correlation of the logarithms of the lengths is above 0.5 at a
  /// shift, and lower by 0.3 without it.
  std::vector<ShiftedLines> shifted() const;

 private:
  double correlation(std::size_t begin, int shift) const;

  std::vector<std::uint16_t> sources_, targets_;
};

/// Finds pairs whose sides are exchanged, by the frequencies of pairs of letters in each language. The text is read
/// twice: `count` takes each pair, then `is_exchanged` judges.
class SideLanguages {
 public:
  SideLanguages();

  void count(std::string_view source, std::string_view target);
  /// Returns whether the source reads like the target's language and the target like the source's. Returns false for
  /// pairs that are too short to judge.
  bool is_exchanged(std::string_view source, std::string_view target) const;

 private:
  struct Score;
  Score score(std::string_view line) const;

  static constexpr std::size_t kBuckets = 1 << 16;  ///< hashed pairs of bytes and characters
  using Counts = std::vector<std::uint32_t>;
  Counts source_, target_;
  std::int64_t source_total_ = 0, target_total_ = 0;
};

/// Problems of two aligned texts.
struct CorpusCheck {
  TextReport source, target;
  std::int64_t pairs = 0;      ///< lines that exist on both sides
  std::int64_t fit_pairs = 0;  ///< pairs that training would use
  NotedLines invalid;          ///< pairs with a side that is not UTF-8 or has a NUL
  NotedLines empty;            ///< pairs with an empty side
  NotedLines too_long;         ///< pairs with a side of too many units, eos counted, or one that was cut
  NotedLines skipped_ratio;    ///< pairs that PairFilters::max_ratio skips
  NotedLines skipped_copied;
  NotedLines skipped_repeated;
  std::int64_t alignment_lines = 0;
  // Of the pairs that training would use:
  NotedLines ratio;                   ///< pairs whose lengths differ by more than CorpusCheckOptions::max_ratio
  NotedLines sentences;               ///< pairs with at least three sentences against at most half as many
  NotedLines copied;                  ///< pairs whose target equals the source
  NotedLines repeated;                ///< pairs that equal an earlier one
  NotedLines links;                   ///< pairs whose links do not fit them
  std::string first_links;            ///< the reason for the first of these pairs
  NotedLines exchanged;               ///< pairs whose source is in the target's language, and the other way round
  std::vector<ShiftedLines> shifted;  ///< of all pairs
};

/// Options of check_corpus.
struct CorpusCheckOptions {
  std::shared_ptr<const Tokenizer> source = {}, target = {};  ///< null: units are words
  Normalization normalization = Normalization::kNmtNfkc;      ///< for counting words, without a tokenizer
  std::int64_t max_length = 256;                              ///< units and eos
  std::optional<double> max_ratio = {};  ///< of lengths, to be reported; default: kPieceRatio, kCharacterRatio
  PairFilters filters = {};              ///< without tokenizers max_ratio has no effect, since words are no pieces
  RepeatedPairs* repeated = nullptr;     ///< finds repetitions, which training skips; null: none are skipped
  std::size_t text = 0;                  ///< the number of this text for `repeated`
  std::filesystem::path alignment = {};  ///< links of each pair; without tokenizers only their form is checked
  /// Called with each pair that training would use, and its line number.
  std::function<void(std::string_view source, std::string_view target, std::int64_t line)> for_pair = {};

  /// Bounds of the length ratio: in pieces or, without a tokenizer, in characters. Only pairs whose longer side has at
  /// least kMinPieces or kMinCharacters are compared.
  static constexpr double kPieceRatio = 4, kCharacterRatio = 9;
  static constexpr std::int64_t kMinPieces = 10, kMinCharacters = 40;
};

/// Checks two aligned texts and reads to the end of the longer one, twice. Memory: two lines, and for each pair 4 bytes
/// and the memory of LineHashes. Throws as LineReader. The caller compares the numbers of lines.
CorpusCheck check_corpus(const std::filesystem::path& source, const std::filesystem::path& target,
                         const CorpusCheckOptions& options);

/// Finds pairs of a validation or test text in the training text. Memory: 24 bytes a pair, and that of LineHashes for
/// each line.
class HeldOutPairs {
 public:
  /// Adds a held-out pair and its line number.
  void add(std::string_view source, std::string_view target, std::int64_t line);
  /// Compares a pair of the training text with the held-out pairs.
  void compare(std::string_view source, std::string_view target);

  /// Returns the lines of the pairs that occur in the training text.
  NotedLines pairs_in_training() const;
  /// Returns the lines whose source occurs in the training text, but only with another target.
  NotedLines sources_in_training() const;

 private:
  struct Line {
    std::uint64_t source, pair;
    std::int64_t number;
  };
  std::vector<Line> lines_;
  LineHashes sources_;  ///< of all held-out sources
  LineHashes seen_;     ///< of the held-out sources and pairs that also occur in the training text
};

}  // namespace gloss
