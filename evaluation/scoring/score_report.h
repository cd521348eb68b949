#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/metric.h"

namespace gloss {

/// The result of one metric for one system.
struct MetricResult {
  MetricScore score;
  std::optional<double> mean, half_width;  ///< mean of resampled scores, and half of their 95 % interval
  std::optional<double> p_value;           ///< p-value of the paired test against the first system
};

/// A group of lines and their scores.
struct PartOfLines {
  std::string name;
  std::int64_t lines = 0;
  std::vector<MetricScore> scores;  ///< by metric
};

/// Results of a system: of all lines by metric, and of parts of the lines.
struct SystemResult {
  std::string name;
  std::vector<MetricResult> metrics;
  std::vector<PartOfLines> groups, lengths;  ///< groups by name, and by the length of the source
};

/// Significance test of the difference between two systems on the same lines.
enum class PairedTest { kBootstrap, kRandomization };

/// A line and its scores by two systems.
struct LineDifference {
  std::int64_t line = 0;         ///< from 1
  double first = 0, second = 0;  ///< scores of the line by the first and second system
};

/// All results of an evaluation, for printing.
struct ScoreReport {
  std::vector<std::string> keys;                          ///< of the metrics: "bleu", "chrf", "ter"
  std::vector<std::string> signatures, short_signatures;  ///< by metric
  std::vector<SystemResult> systems;
  std::optional<PairedTest> paired;
  std::int64_t trials = 0;                  ///< of the paired test
  std::vector<LineDifference> differences;  ///< between the first two systems by the first metric, largest first
  std::string differences_signature, short_differences_signature;  ///< signature of scores of single lines
};

/// Scores of single lines by one metric. Details and signatures of lines are present only if requested.
struct LineScores {
  std::string key;                                        ///< "bleu", "chrf", "ter"
  std::string name;                                       ///< "BLEU", "chrF2++", "TER"
  std::string signature;                                  ///< signature of the whole text
  std::vector<double> scores;                             ///< by line
  std::vector<std::string> details;                       ///< by line, MetricScore::details
  std::vector<std::string> signatures, short_signatures;  ///< by line, because the number of references may differ
};

}  // namespace gloss
