#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/data_config.h"
#include "data/hold_out.h"
#include "data/parallel_corpus.h"
#include "data/training_stage.h"
#include "evaluation/bleu/bleu.h"
#include "run/run_folder.h"
#include "run/validation.h"
#include "training/training_plan.h"
#include "training/training_report.h"

namespace gloss {

/// Prints a line on stderr and logs a "step" event in the run folder. The last step is an estimate if it is before
/// `step_limit`: epochs have different numbers of updates.
void report_step(RunFolder& folder, const TrainingReport& report, std::int64_t step_limit);
/// Shows the progress of training at the foot of a terminal. If the first report_step comes late, it also prints one
/// line with the first loss on stderr, terminal or not; this line is not logged as an event.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(std::int64_t step_limit) : step_limit_(step_limit) {}

  /// Call it after each update.
  void show(const TrainingProgress& progress);
  /// Call it after report_step, which has printed a loss.
  void step_reported() { loss_printed_ = true; }

 private:
  std::int64_t step_limit_;
  bool loss_printed_ = false;
};
/// Returns the line of a terminal: "[########...]  29 %  39 min left  loss 2.123  epoch 3  6840 tokens/s  step
/// 1354/4640". Parts that do not fit into `columns` are left out (progress_line.h).
std::string progress_text(const TrainingProgress& progress, std::size_t columns);
/// Prints the scores and the first `samples` samples on stderr, cut to the width of a terminal, and logs a "validation"
/// event with all samples in full.
void report_validation(RunFolder& folder, std::int64_t step, const ValidationReport& validation, std::size_t samples);
/// Returns "loss 2.1204 at step 300, BLEU 31.20 at step 400": the best validations so far.
std::string best_text(const ValidationScores& scores);
/// Returns a hint if the loss of validations has not fallen for a third of the run; empty otherwise.
std::string rising_loss_hint(const ValidationScores& scores, std::int64_t step, std::int64_t last_step);
/// Returns a warning if a model is far worse than the model that the run started from; empty otherwise, and if that was
/// not validated.
std::string worse_than_start(const ValidationScores& scores, const Validation& model);
/// Prints the scores of the final weights, those of `steps` or their mean, in the same way and logs a "model" event.
void report_model(RunFolder& folder, std::span<const std::int64_t> steps, const ValidationReport& validation,
                  std::size_t samples);
/// Returns the three lines of a sample: source, reference and translation, each cut to `columns` if given.
std::vector<std::string> sample_lines(const Sample& sample, std::optional<std::size_t> columns);
/// Warns of pairs of `name` ("training", "validation") that were left out, once for each reason.
void warn_of(std::string_view name, const CorpusReport& report, const DataConfig& data, const std::string& files = {});

/// Returns the path and the size of the model of a finished run, the commands that translate with it and show the
/// training, and the one that deletes what only a longer training needs.
std::vector<std::string> finished_lines(const std::filesystem::path& folder, const std::filesystem::path& model_file);

/// Logs the number of pairs that a run holds out to validate on, and warns if there are none.
void report_hold_out(const HoldOut& held_out);

/// Describes a stage: "stage 1 of 2, 3 epochs: a.en and a.de; b.en and b.de (weight 0.5)".
std::string stage_text(std::span<const TrainingStage> stages, std::size_t stage);

/// Returns {"bleu", "signature"}.
Json summary(const Bleu& bleu);
/// Returns {"loss", "perplexity", "greedy_bleu", "signature"}.
Json summary(const ValidationReport& validation);

}  // namespace gloss
