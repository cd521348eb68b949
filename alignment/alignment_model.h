#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alignment/diagonal_prior.h"
#include "alignment/line_ids.h"
#include "alignment/symmetrization.h"
#include "alignment/word_pair_table.h"

namespace gloss {

struct AlignmentSettings {
  double null_probability = 0.08;     ///< prior probability that a word comes from no word
  double alpha = 0.01;                ///< parameter of the Dirichlet prior of translations; 0: maximum likelihood
  std::optional<double> lambda = {};  ///< of DiagonalPrior; nothing: optimized, beginning with 4
  int threads = 1;                    ///< results do not depend on it
};

/// The fit of one direction in an iteration, before its update.
struct DirectionFit {
  double log_likelihood = 0;  ///< natural logarithm, of the emitted words
  double words = 0;           ///< number of emitted words
  double lambda = 0;

  double perplexity() const;
};

/// IBM Model 2 with a diagonal prior (fast_align; Dyer, Chahuneau and Smith 2013), in both directions at once: each
/// word of one sentence comes from a word of the other, or from none. Expected counts are whole numbers of 2^-32, so
/// that sums have the same bits in any order.
///
///     AlignmentModel model(settings);
///     model.add(lines);                      // all lines, in parts
///     model.begin(source_ids, target_ids);
///     repeat: model.expect(lines); model.maximize();
///     links = model.align(lines);
class AlignmentModel {
 public:
  explicit AlignmentModel(const AlignmentSettings& settings) : settings_(settings) {}

  /// Adds the words of some lines to the model. Pairs with an empty side are ignored here and below.
  void add(std::span<const IdPair> lines);
  /// Begins with equal probabilities. The parameters are the numbers of ids.
  void begin(std::int64_t source_ids, std::int64_t target_ids);

  /// Adds the expected counts of some lines (E step).
  void expect(std::span<const IdPair> lines);
  /// Computes new probabilities from the counts of all lines, and clears the counts (M step); with `alpha`, by
  /// variational Bayes. Returns the fit of the direction from source to target, and of the reverse one.
  std::array<DirectionFit, 2> maximize();

  /// Returns the most probable links of each line.
  std::vector<DirectedLinks> align(std::span<const IdPair> lines);

  /// Returns the pairs of words with their probabilities; slots with key 0 are free.
  std::span<const WordPair> pairs() { return table_.slots(); }
  /// Returns the probabilities of the emitted words of a direction, given no word.
  const std::vector<double>& null_probabilities(std::size_t direction) const { return directions_[direction].null; }

 private:
  /// One direction. A given word emits words of the other language.
  struct Direction {
    double lambda = 4;
    SizeCounts sizes;
    std::vector<double> null;                ///< probability of each emitted id, given no word
    std::vector<std::uint64_t> null_counts;  ///< by emitted id
    std::vector<std::uint64_t> totals;       ///< counts by given id
    std::vector<std::int64_t> partners;      ///< number of emitted ids by given id
    double log_likelihood = 0, distance = 0, words = 0;
  };
  struct Workspace;

  void score(const IdPair& line, Workspace& work, const auto& take);
  void update_null(std::size_t direction);

  AlignmentSettings settings_;
  WordPairTable table_;
  std::array<Direction, 2> directions_;
  int updates_ = 0;
};

}  // namespace gloss
