#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gloss {

/// Numbers of words of a given and an emitted sentence, and how many pairs of sentences have them.
using SizeCounts = std::map<std::pair<std::size_t, std::size_t>, std::int64_t>;

/// Prior of links that favors the diagonal (Dyer, Chahuneau and Smith 2013, section 2): emitted word e of M comes from
/// given word g of N, both numbered from 1, with a probability in proportion to exp(-lambda |g/N - e/M|).
class DiagonalPrior {
 public:
  /// Prepares the prior of two sentences of `given` and `emitted` words, both at least 1. `lambda`: 0 to 14.
  void prepare(double lambda, std::size_t given, std::size_t emitted);
  /// Writes the probabilities of the given words for emitted word `e`, from 0. Their sum is `mass`.
  void write(std::size_t e, double mass, double* probabilities) const;

 private:
  double lambda_ = 0;
  std::size_t emitted_ = 0;
  std::vector<double> rising_, falling_;  ///< exp(lambda g/N), exp(-lambda g/N)
};

/// Returns the lambda of the next iteration: eight steps of gradient ascent from `lambda` on the expected
/// log-likelihood, limited to 0.1 to 14. `mean_distance`: of the expected links, |g/N - e/M| over `words` emitted
/// words.
double optimized_lambda(double lambda, double mean_distance, const SizeCounts& sizes, double words);

}  // namespace gloss
