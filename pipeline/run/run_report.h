#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/parallel_corpus.h"
#include "evaluation/bleu/bleu.h"
#include "pipeline/run/run_folder.h"
#include "pipeline/run/validation.h"
#include "training/training_report.h"

namespace gloss {

/// Prints a line on stderr and adds a "step" event to the run's log. The last step is an estimate where it is before
/// `step_limit`: epochs have different numbers of updates.
void report_step(RunFolder& folder, const TrainingReport& report, std::int64_t step_limit);
/// Shows training at the foot of a terminal. Where the first report_step is far off, it also prints one line with the
/// first loss on stderr, on any kind of it; this line is no event.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(std::int64_t step_limit) : step_limit_(step_limit) {}

  /// After each update.
  void show(const TrainingProgress& progress);
  /// After report_step: the first loss is printed.
  void step_reported() { loss_printed_ = true; }

 private:
  std::int64_t step_limit_;
  bool loss_printed_ = false;
};
/// "[########...]  29 %  39 min left  loss 2.123  epoch 3  6840 tokens/s  step 1354/4640"; what does not fit into
/// `columns` is left out, from the end.
std::string progress_text(const TrainingProgress& progress, std::size_t columns);
/// Scores and the first `samples` samples as lines on stderr, cut to the width of a terminal, and a "validation" event
/// with all samples in full.
void report_validation(RunFolder& folder, std::int64_t step, const ValidationReport& validation, std::size_t samples);
/// The same of the weights that the run ends with, those of `steps` or their mean; a "model" event.
void report_model(RunFolder& folder, std::span<const std::int64_t> steps, const ValidationReport& validation,
                  std::size_t samples);
/// The three lines of a sample: source, reference and translation, each cut to `columns`, where they are given.
std::vector<std::string> sample_lines(const Sample& sample, std::optional<std::size_t> columns);
/// Warns of each reason for which pairs of `name` ("training", "validation") were left out.
void warn_of(std::string_view name, const CorpusReport& report, std::int64_t max_length);

/// {"bleu", "signature"}
Json summary(const Bleu& bleu);
/// {"loss", "perplexity", "greedy_bleu", "signature"}
Json summary(const ValidationReport& validation);

}  // namespace gloss
