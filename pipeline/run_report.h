#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "data/parallel_corpus.h"
#include "evaluation/bleu.h"
#include "pipeline/run_folder.h"
#include "pipeline/validation.h"
#include "training/training_report.h"

namespace gloss {

/// A line on stderr, and a "step" event in the run's log.
void report_step(RunFolder& folder, const TrainingReport& report);
/// A bar at the foot of a terminal; nothing elsewhere.
void show_progress(const TrainingProgress& progress);
/// "[########......................]  29 %  step 1354 of 4640  39 min left"
std::string progress_text(const TrainingProgress& progress);
/// Scores and samples as lines on stderr, and a "validation" event.
void report_validation(RunFolder& folder, std::int64_t step, const ValidationReport& validation);
/// The same of the weights that the run ends with, those of `steps` or their mean; a "model" event.
void report_model(RunFolder& folder, std::span<const std::int64_t> steps, const ValidationReport& validation);
/// Warns of each reason for which pairs of `name` ("training", "validation") were left out.
void warn_of(std::string_view name, const CorpusReport& report, std::int64_t max_length);

/// {"bleu", "signature"}
Json summary(const Bleu& bleu);
/// {"loss", "perplexity", "greedy_bleu", "signature"}
Json summary(const ValidationReport& validation);

/// "45 s", "12 min", "3 h 05 min", "2 d 3 h"
std::string duration_text(double seconds);

}  // namespace gloss
