#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/bleu/bleu_metric.h"

namespace gloss {

/// BLEU and its factors.
struct BleuScore {
  double score = 0;                ///< 0 to 100
  std::vector<double> precisions;  ///< 0 to 100, smoothed
  double brevity_penalty = 1;
};

/// Number type of the statistics, and thus of arithmetic with them.
enum class BleuNumbers {
  kPython,        ///< Python numbers: everything is double
  kNumpyFloat32,  ///< NumPy float32; a Python number is rounded to float32 (NEP 50)
  kNumpyInt64,    ///< NumPy int64: a value added to one is truncated to an integer; the rest is double
};

/// Computes BLEU = BP exp(1/N sum of log p_n), N = options.max_order (Papineni et al. 2002, section 2.3). `sums`: the
/// sum of rows of BleuMetric's statistics.
BleuScore bleu_score(const BleuOptions& options, std::span<const double> sums,
                     BleuNumbers numbers = BleuNumbers::kPython);

}  // namespace gloss
