#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/bleu_matches.h"
#include "evaluation/bleu_metric.h"

namespace gloss {

/// Counts BLEU's statistics of lines. Keeps its memory between lines; each thread has its own.
class BleuLines {
 public:
  /// `options` must outlive it.
  explicit BleuLines(const BleuOptions& options) : options_(options) {}

  /// Numbers of a row: two lengths, and matches and totals of each order.
  static std::int64_t width(const BleuOptions& options) { return 2 + 2 * options.max_order; }

  /// Fills the `row` of one line.
  void count(std::string_view hypothesis, std::span<const std::string_view> references, std::span<double> row);

 private:
  struct Room {
    std::string lower, text;
  };

  void read(std::size_t place, std::string_view line);

  const BleuOptions& options_;
  BleuMatches matches_;
  std::vector<Room> rooms_;  // what the tokens of each line may look at
};

}  // namespace gloss
