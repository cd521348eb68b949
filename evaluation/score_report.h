#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/metric.h"

namespace gloss {

/// What one metric says of one system.
struct MetricResult {
  MetricScore score;
  std::optional<double> mean, half_width;  ///< of resampled scores: their mean, half of the interval that holds 95 %
  std::optional<double> p_value;           ///< of the paired test against the first system
};

/// A part of the lines and what each metric says of it.
struct PartOfLines {
  std::string name;
  std::int64_t lines = 0;
  std::vector<MetricScore> scores;  ///< by metric
};

struct SystemResult {
  std::string name;
  std::vector<MetricResult> metrics;
  std::vector<PartOfLines> groups, lengths;  ///< by the names of lines, by the length of the source
};

enum class PairedTest { kBootstrap, kRandomization };

/// A line that two systems translate with different success.
struct LineDifference {
  std::int64_t line = 0;         ///< from 1
  double first = 0, second = 0;  ///< its scores
};

/// Everything that an evaluation found, for whoever prints it.
struct ScoreReport {
  std::vector<std::string> keys;                          ///< of the metrics: "bleu", "chrf", "ter"
  std::vector<std::string> signatures, short_signatures;  ///< by metric
  std::vector<SystemResult> systems;
  std::optional<PairedTest> paired;
  std::int64_t trials = 0;                  ///< of the paired test
  std::vector<LineDifference> differences;  ///< of the first two systems by the first metric, the largest first
  std::string differences_signature, short_differences_signature;  ///< of their scores: those of single lines
};

/// The scores of each line for itself, by one metric. Details and signatures of lines are there where asked for.
struct LineScores {
  std::string key;                                        ///< "bleu", "chrf", "ter"
  std::string name;                                       ///< "BLEU", "chrF2++", "TER"
  std::string signature;                                  ///< of the whole text
  std::vector<double> scores;                             ///< by line
  std::vector<std::string> details;                       ///< by line, Metric::details()
  std::vector<std::string> signatures, short_signatures;  ///< by line: the number of references may differ
};

}  // namespace gloss
