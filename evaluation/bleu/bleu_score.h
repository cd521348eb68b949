#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/bleu/bleu_metric.h"

namespace gloss {

/// BLEU and what it is made of.
struct BleuScore {
  double score = 0;                ///< 0 to 100
  std::vector<double> precisions;  ///< 0 to 100, smoothed
  double brevity_penalty = 1;
};

/// How the statistics are held, and with them what comes of arithmetic with them.
enum class BleuNumbers {
  kPython,        ///< Python's own: all is double
  kNumpyFloat32,  ///< NumPy's float32, which a Python number beside them is rounded to (NEP 50)
  kNumpyInt64,    ///< NumPy's int64: what is added to them is cut to a whole number, the rest is double
};

/// BLEU = BP exp(1/N sum of log p_n), N = options.max_order (Papineni et al. 2002, section 2.3).
/// `sums`: rows of BleuMetric's statistics, added up.
BleuScore bleu_score(const BleuOptions& options, std::span<const double> sums,
                     BleuNumbers numbers = BleuNumbers::kPython);

}  // namespace gloss
