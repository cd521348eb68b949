#pragma once

#include <cstdint>
#include <string_view>

#include "data/parallel_corpus.h"
#include "evaluation/bleu.h"
#include "pipeline/run_folder.h"
#include "training/trainer.h"

namespace gloss {

/// A line on stderr, and a "step" event in the run's log.
void report_step(RunFolder& folder, const TrainingReport& report);
/// A line on stderr, and a "validation" event.
void report_validation(RunFolder& folder, std::int64_t step, const Validation& validation);
/// Warns of each reason for which pairs of `name` ("training", "validation") were left out.
void warn_of(std::string_view name, const CorpusReport& report, std::int64_t max_length);

/// {"bleu", "signature"}
Json summary(const Bleu& bleu);
/// {"loss", "greedy_bleu", "signature"}
Json summary(const Validation& validation);

}  // namespace gloss
