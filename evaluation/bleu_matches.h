#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "evaluation/prefix_table.h"
#include "evaluation/token_table.h"

namespace gloss {

/// Counts the n-grams that a hypothesis has in common with its references, exactly: tokens are numbered, and n-grams,
/// order by order, by the number of their first n - 1 tokens and the last. Those that the other side had no match for
/// are not looked at again. Keeps its memory between lines; each thread has its own.
class BleuMatches {
 public:
  using Tokens = std::vector<std::string_view>;

  /// The hypothesis in place 0, its references behind it.
  std::vector<Tokens> lines;

  /// Fills `matches[n - 1]` for each n up to `matches.size()`: n-grams of the hypothesis, each counted at most as often
  /// as the reference has it that has it most often. Of the first `count` of `lines`.
  void count(std::size_t count, std::span<double> matches);

 private:
  struct Place {
    std::uint32_t begin, prefix;  // the number of the n - 1 tokens from `begin` on
    std::uint32_t line;
  };
  struct Entry {
    std::uint32_t most = 0;             // in one reference; later what is not matched yet
    std::uint32_t line = 0, there = 0;  // how often in this reference
    bool met = false;                   // the hypothesis has it
  };

  void number_tokens(std::size_t count);
  void count_references();
  std::int64_t match_hypothesis();
  void extend(std::size_t order);

  TokenTable tokens_;
  PrefixTable ngrams_;
  std::vector<std::uint32_t> numbers_;  // of the tokens of all lines, kUnknown behind each line
  std::vector<Place> hypothesis_, references_;
  std::vector<Entry> entries_;  // by number of an n-gram
};

}  // namespace gloss
