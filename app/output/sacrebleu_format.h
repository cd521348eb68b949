#pragma once

#include <string>
#include <vector>

#include "app/options/report_style.h"
#include "evaluation/scoring/score_report.h"

namespace gloss {

/// Returns the output of sacreBLEU 2.6.0 for several systems: a table, the meaning of the paired test and the
/// signatures, or one JSON text.
std::string sacrebleu_table(const ScoreReport& report, const SacrebleuStyle& style);

// The output of sacreBLEU 2.6.0 on a stdout that is not a terminal, byte for byte.

/// Returns the output for one system, or the table of several.
std::string sacrebleu_text(const ScoreReport& report, const SacrebleuStyle& style);
/// Returns the output of --sentence-level: one line of output for each line of the text.
std::string sacrebleu_text(const LineScores& lines, const SacrebleuStyle& style);

}  // namespace gloss
