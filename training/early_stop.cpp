#include "training/early_stop.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "common/error.h"

namespace gloss {
namespace {

std::optional<double> score_of(const Validation& validation, EarlyStopMetric metric) {
  switch (metric) {
    case EarlyStopMetric::kBleu:
      return validation.bleu;
    case EarlyStopMetric::kLoss:
      return validation.loss;
    case EarlyStopMetric::kPerplexity:
      return std::exp(validation.loss);
  }
  return std::nullopt;
}

/// Records a finite value of `step` if it is better than the best.
void note_score(std::optional<ValidationScores::Score>& best, double value, std::int64_t step, auto is_better) {
  if (std::isfinite(value) && (!best || is_better(value, best->value))) best = {value, step};
}

}  // namespace

void note_validation(TrainingState& state, const Validation& validation, const TrainingConfig::EarlyStop& early_stop) {
  const bool by_bleu = early_stop.metric == EarlyStopMetric::kBleu;
  if (by_bleu && !validation.bleu && early_stop.patience > 0)
    throw UsageError(
        "training.early_stop.metric: wanted a metric that validation measures, got \"bleu\"; ask for loss");

  auto& scores = state.scores;
  note_score(scores.best_loss, validation.loss, state.step, std::less<>());
  if (validation.bleu) note_score(scores.best_bleu, *validation.bleu, state.step, std::greater<>());
  if (state.step == 0) {
    scores.start_loss = scores.best_loss;
    scores.start_bleu = scores.best_bleu;
    return;
  }
  const auto score = score_of(validation, early_stop.metric);
  if (score && std::isfinite(*score) &&
      (!state.best_score || (by_bleu ? *score > *state.best_score : *score < *state.best_score))) {
    state.best_score = score;
    state.best_step = state.step;
    state.validations_without_gain = 0;
  } else {
    ++state.validations_without_gain;
  }
  state.validated_step = state.step;
}

}  // namespace gloss
