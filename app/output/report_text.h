#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/report_style.h"
#include "common/config/json.h"
#include "evaluation/scoring/score_report.h"

namespace gloss {

/// A line for which two systems differ, and its scores.
struct DifferenceTexts {
  std::int64_t line = 0;  ///< from 1
  std::optional<std::string> source;
  std::string reference;  ///< the first
  std::vector<std::string> hypotheses;
};

/// Groups and lengths a line each, then each score with its signature on the line after it; of several systems the
/// scores below their names and the signatures at the end. `texts` belong to the report's differences, one by one;
/// those come first, their own signature below them.
std::string to_lines(const ScoreReport& report, const std::vector<DifferenceTexts>& texts, const ReportStyle& style);
/// A line for each line of the text: its scores with tabs between them.
std::string to_lines(const std::vector<LineScores>& metrics, const ReportStyle& style);

/// By metric what it says, unrounded, with its signature and, where asked for, "confidence" and "p_value"; "groups" and
/// "lengths" by name, "differences" with the signature of lines. Several systems are a list, "systems", of such objects
/// with their "name".
Json to_json(const ScoreReport& report, const std::vector<DifferenceTexts>& texts);
/// By metric "signature" and "lines", the score of each.
Json to_json(const std::vector<LineScores>& metrics);

}  // namespace gloss
