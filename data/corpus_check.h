#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "data/line_hashes.h"
#include "data/text_check.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Problems of two aligned texts.
struct CorpusCheck {
  TextReport source, target;
  std::int64_t pairs = 0;      ///< lines that have a line on the other side
  std::int64_t fit_pairs = 0;  ///< of these, those that training would use
  NotedLines invalid;          ///< pairs of which a side is not UTF-8, or has a NUL
  NotedLines empty;            ///< pairs of which a side is empty
  NotedLines too_long;         ///< pairs of which a side has too many units, eos counted, or was cut
  NotedLines ratio;            ///< one side too many times as long as the other
  NotedLines copied;           ///< the target is the source
  NotedLines repeated;         ///< the same pair as an earlier line
};

struct CorpusCheckOptions {
  std::shared_ptr<const Tokenizer> source = {}, target = {};  ///< null: units are words
  Normalization normalization = Normalization::kNmtNfkc;      ///< without a tokenizer
  std::int64_t max_length = 256;                              ///< units and eos
  std::optional<double> max_ratio = {};                       ///< of lengths; default: kPieceRatio, kCharacterRatio
  /// Called with each pair that training would use, and its line number.
  std::function<void(std::string_view source, std::string_view target, std::int64_t line)> for_pair = {};

  /// Lengths are compared in pieces, without a tokenizer in characters, if the longer side has at least this many.
  static constexpr double kPieceRatio = 4, kCharacterRatio = 9;
  static constexpr std::int64_t kFewestPieces = 10, kFewestCharacters = 40;
};

/// Reads two texts side by side, to the end of the longer one. Memory: two lines, and the memory of LineHashes for each
/// pair. Throws as LineReader. The caller compares the numbers of lines.
CorpusCheck check_corpus(const std::filesystem::path& source, const std::filesystem::path& target,
                         const CorpusCheckOptions& options);

/// Finds pairs of a validation or test text in the training text. Memory: 24 bytes a pair, and that of LineHashes for
/// each line.
class HeldOutPairs {
 public:
  void add(std::string_view source, std::string_view target, std::int64_t line);
  /// A pair of the training text.
  void compare(std::string_view source, std::string_view target);

  NotedLines pairs_in_training() const;
  /// With another target there.
  NotedLines sources_in_training() const;

 private:
  struct Line {
    std::uint64_t source, pair;
    std::int64_t number;
  };
  std::vector<Line> lines_;
  LineHashes sources_, seen_;  ///< of all held-out sources; of sources and pairs that training has too
};

}  // namespace gloss
