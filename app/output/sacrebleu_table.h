#pragma once

#include <string>

#include "app/output/sacrebleu_format.h"
#include "evaluation/score_report.h"

namespace gloss {

/// What sacreBLEU 2.6.0 prints of several systems: the table with what the paired test means and the signatures, or one
/// JSON text.
std::string sacrebleu_table(const ScoreReport& report, const SacrebleuStyle& style);

}  // namespace gloss
