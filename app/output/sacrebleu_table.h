#pragma once

#include <string>

#include "app/options/report_style.h"
#include "evaluation/scoring/score_report.h"

namespace gloss {

/// Returns the output of sacreBLEU 2.6.0 for several systems: a table, the meaning of the paired test and the
/// signatures, or one JSON text.
std::string sacrebleu_table(const ScoreReport& report, const SacrebleuStyle& style);

}  // namespace gloss
