#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/command_options.h"
#include "app/options/decoding_options.h"
#include "app/options/metric_flags.h"
#include "app/options/report_style.h"
#include "evaluation/scoring/score_report.h"
#include "evaluation/scoring/scored_text.h"
#include "evaluation/statistics/resampling_seed.h"

namespace gloss {

/// Options of `gloss evaluate`.
struct EvaluateOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> source, groups;
  std::vector<std::filesystem::path> models, hypotheses, references;
  std::optional<std::filesystem::path> output;  ///< file of the model's translations
  Languages languages;                          ///< of the model
  GivenSettings decoding;                       ///< of the model
  std::optional<WeightPrecision> precision;     ///< of the model
  bool plain = false;                           ///< of the model
  ReferenceColumns columns;                     ///< of the reference file
  MetricFlags metrics;

  bool confidence = false, paired_ar = false, paired_bs = false;
  std::int64_t confidence_n = 1000, paired_ar_n = 10000, paired_bs_n = 1000;
  std::optional<ResamplingSeed> seed;

  bool sentence_level = false;
  std::vector<std::int64_t> length_bounds;  ///< of --length-buckets
  std::int64_t differences = 0;

  bool json = false, short_signature = false, score_only = false, no_color = false;
  std::optional<int> width;
  std::optional<std::string> format;

  std::optional<PairedTest> paired() const;
  /// Returns the files of the hypotheses. In a paired test, further occurrences of the baseline are dropped, as in
  /// sacreBLEU.
  std::vector<std::filesystem::path> system_files() const;
  std::int64_t trials() const { return paired_bs ? paired_bs_n : paired_ar_n; }
  /// Returns the format of sacreBLEU's output, or nothing for gloss's own. The environment variable SACREBLEU_FORMAT
  /// overrides the format of the command line.
  std::optional<SacrebleuForm> sacrebleu_form() const;
  /// Returns whether stdin holds the systems: one, or several in tab-separated columns. As in sacreBLEU, this is so if
  /// no file is named.
  bool systems_on_stdin() const { return hypotheses.empty() && models.empty(); }
  /// Returns whether scores by length of the source lines were requested, by --length-buckets or by a source that is
  /// not translated.
  bool scores_by_length() const { return source && (!length_bounds.empty() || models.empty()); }
  std::vector<std::int64_t> bounds_of_lengths() const;
  /// Returns the metrics in sacreBLEU's order: alphabetical, but in a paired test as they were typed.
  std::vector<MetricKind> metric_kinds() const;
  SacrebleuStyle sacrebleu_style(SacrebleuForm form) const;
  ReportStyle report_style() const;
};

/// Throws UsageError if options do not go together.
void expect_sensible(const EvaluateOptions& options);

}  // namespace gloss
