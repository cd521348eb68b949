#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/bleu/bleu.h"
#include "evaluation/ngrams/ngram_matches.h"
#include "evaluation/ngrams/number_table.h"

namespace gloss {

/// Counts BLEU's statistics of lines. Reuses its memory from line to line; use one object per thread.
class BleuLines {
 public:
  /// `options` must outlive it.
  explicit BleuLines(const BleuOptions& options)
      : options_(options), matches_(static_cast<std::size_t>(options.max_order)) {}

  /// Returns the size of a row: two lengths, and matches and totals of each order.
  static std::int64_t width(const BleuOptions& options) { return 2 + 2 * options.max_order; }

  /// Fills the `row` of one line.
  void count(std::string_view hypothesis, std::span<const std::string> references, std::span<double> row);

 private:
  struct Line {
    std::string lower, text;  // storage that the tokens may refer to
    std::vector<std::string_view> tokens;
    std::vector<std::uint32_t> numbers;  // ids of the tokens
  };

  void read(std::string_view text, Line& line) const;
  void number_tokens(std::span<Line> lines);

  const BleuOptions& options_;
  std::vector<Line> lines_;  // the hypothesis, followed by its references
  TokenTable tokens_;
  std::vector<NgramMatcher::Symbols> references_;
  std::vector<std::int64_t> matches_;  // by order
  NgramMatcher matcher_;
};

}  // namespace gloss
