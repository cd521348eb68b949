#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/report_style.h"
#include "common/config/json.h"
#include "evaluation/scoring/score_report.h"

namespace gloss {

/// The texts of a line on which two systems differ.
struct DifferenceTexts {
  std::int64_t line = 0;  ///< from 1
  std::optional<std::string> source;
  std::string reference;  ///< the first reference
  std::vector<std::string> hypotheses;
};

/// Returns f"{value:.{digits}f}" as Python writes it.
std::string fixed(double value, int digits);

/// Returns the report as lines: one for each group and length, then each score followed by its signature. With several
/// systems, the scores follow the system's name, and the signatures are at the end. `texts` are the texts of the
/// report's differences, in the same order; they come first, with a signature of their own.
std::string to_lines(const ScoreReport& report, const std::vector<DifferenceTexts>& texts, const ReportStyle& style);
/// Returns a line for each line of the text, with the scores separated by tabs.
std::string to_lines(const std::vector<LineScores>& metrics, const ReportStyle& style);

/// Returns the scores by metric, unrounded, with signature and, if requested, "confidence" and "p_value". "groups" and
/// "lengths" hold the scores by name, "differences" the lines with the signature of their scores. Several systems are a
/// list, "systems", of such objects, each with its "name".
Json to_json(const ScoreReport& report, const std::vector<DifferenceTexts>& texts);
/// Returns by metric the "signature" and "lines", the scores of the lines.
Json to_json(const std::vector<LineScores>& metrics);

}  // namespace gloss
