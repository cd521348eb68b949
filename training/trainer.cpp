#include "training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/log.h"
#include "model/tensor_view.h"
#include "training/average.h"
#include "training/checkpoint_name.h"
#include "training/checkpoint_tensors.h"
#include "training/schedule.h"
#include "training/stop.h"

namespace gloss {
namespace {

constexpr std::int64_t kMostSkippedInARow = 10;

}  // namespace

Trainer::Trainer(EncoderDecoder model, BatchStream& batches, Options options)
    : model_(std::move(model)),
      batches_(&batches),
      options_(std::move(options)),
      adam_(named_parameters(model_), options_.config),
      folder_(options_.checkpoints, options_.config.keep_checkpoints) {
  options_.config.validate();
  if (options_.config.early_stop.patience > 0 && !options_.validate)
    throw UsageError(
        "training.early_stop.patience: wanted validation data to stop by, got none; name data.valid_source "
        "and data.valid_target, or leave it 0");
  state_.position = batches.position();
  state_.threads = options_.threads;
  state_.hashes = options_.hashes;
}

bool Trainer::resume() {
  const auto loaded = folder_.newest();
  if (!loaded) return false;
  expect_equal_hashes(loaded->state.hashes, options_.hashes);
  if (loaded->state.threads != options_.threads)
    log_warning("the run was saved with " + std::to_string(loaded->state.threads) + " threads and goes on with " +
                std::to_string(options_.threads) + ": the last bits of the numbers will differ");
  batches_->seek(loaded->state.position);
  restore(adam_, loaded->file);
  state_ = loaded->state;
  state_.threads = options_.threads;
  saved_ = true;
  return true;
}

TrainingEnd Trainer::run() {
  meter_ = {};
  try {
    return run_to_end();
  } catch (const Stopped&) {  // what was due is done on resuming
    if (!saved_) save(/*for_average=*/false);
    return TrainingEnd::kStopped;
  }
}

TrainingEnd Trainer::run_to_end() {
  while (true) {
    stop_where_requested();
    if (validation_due()) validate();
    if (patience_lost()) return finish(TrainingEnd::kEarlyStop);
    if (limit_reached()) return finish(TrainingEnd::kFinished);
    if (save_due())
      save_and_go_on(/*for_average=*/true);
    else if (best_is_unsaved())
      save_and_go_on(/*for_average=*/false);
    update();
  }
}

void Trainer::update() {
  const auto begin = std::chrono::steady_clock::now();
  const TrainingConfig& config = options_.config;
  std::vector<Batch> batches;
  do batches.push_back(batches_->next());
  while (static_cast<std::int64_t>(batches.size()) < config.accumulate && !epoch_ended());

  const std::int64_t step = state_.step + 1;
  const double rate = learning_rate(config, options_.d_model, step);
  const UpdateResult result = update_weights(
      model_, adam_, batches, RandomStream(options_.seed, "dropout"),
      {.step = step, .learning_rate = rate, .label_smoothing = config.label_smoothing, .clip_norm = config.clip_norm});
  saved_ = false;
  state_.position = batches_->position();
  if (!result.applied) return count_skipped(step);

  state_.step = step;
  state_.skipped_in_a_row = 0;
  state_.unreported_nll += result.nll_sum;
  state_.unreported_tokens += result.tokens;
  meter_.add(result, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (options_.report_every > 0 && step % options_.report_every == 0) report();
  if (options_.progress) options_.progress(meter_.progress(step, last_step()));
}

void Trainer::count_skipped(std::int64_t step) {
  ++state_.skipped_updates;
  ++state_.skipped_in_a_row;
  if (state_.skipped_in_a_row >= kMostSkippedInARow)
    throw DivergedError("step " + std::to_string(step) + ": wanted a finite loss and gradient, got none in " +
                        std::to_string(kMostSkippedInARow) +
                        " updates in a row; lower training.learning_rate, or set training.clip_norm");
  log_warning("step " + std::to_string(step) + ": the loss or its gradient is not finite; this update is skipped, " +
              std::to_string(state_.skipped_in_a_row) + " in a row");
}

void Trainer::report() {
  const double rate = learning_rate(options_.config, options_.d_model, state_.step);
  const TrainingReport report = meter_.report(state_, rate, last_step());
  if (options_.report) options_.report(report);
}

void Trainer::validate() {
  const at::NoGradGuard no_grad;
  const Validation validation = options_.validate(model_, state_.step);
  const bool by_bleu = options_.config.early_stop.metric == EarlyStopMetric::kBleu;
  if (by_bleu && !validation.bleu && options_.config.early_stop.patience > 0)
    throw UsageError(
        "training.early_stop.metric: wanted a metric that validation measures, got \"bleu\"; ask for loss");

  const auto score = by_bleu ? validation.bleu : validation.loss;
  if (score && std::isfinite(*score) &&
      (!state_.best_score || (by_bleu ? *score > *state_.best_score : *score < *state_.best_score))) {
    state_.best_score = score;
    state_.best_step = state_.step;
    state_.validations_without_gain = 0;
  } else {
    ++state_.validations_without_gain;
  }
  state_.validated_step = state_.step;
  saved_ = false;
}

void Trainer::save(bool for_average) {
  TrainingState state = state_;
  const auto last = static_cast<std::size_t>(options_.config.average_last);
  if (for_average && !counted_for_average()) state.averaged.push_back(checkpoint_name(state.step));
  if (state.averaged.size() > last) state.averaged.erase(state.averaged.begin(), state.averaged.end() - last);

  expect_finite(adam_, state.step);
  std::map<std::string, at::Tensor> tensors;  // keeps what `views` look at
  std::map<std::string, TensorView> views;
  for (const auto& [name, tensor] : checkpoint_tensors(adam_)) {
    const auto& copy = tensors[name] = tensor.detach().cpu().contiguous();
    views.emplace(name, view_of(copy));
  }
  folder_.save(views, state);
  state_ = std::move(state);
  saved_ = true;
}

void Trainer::save_and_go_on(bool for_average) {
  try {
    save(for_average);
  } catch (const IoError& fault) {
    log_warning(std::string(fault.what()) + "; training goes on, the next save tries again");
  }
}

TrainingEnd Trainer::finish(TrainingEnd end) {
  if (state_.unreported_tokens > 0) {
    report();
    saved_ = false;
  }
  if (!saved_ || !counted_for_average()) save(/*for_average=*/true);
  kept_steps_ = {state_.step};
  if (options_.config.early_stop.patience > 0 && state_.best_step > 0) take_best();
  if (!state_.averaged.empty()) take_average();
  return end;
}

void Trainer::take_best() {
  try {
    restore_weights(adam_, folder_.open(checkpoint_name(state_.best_step)));
    kept_steps_ = {state_.best_step};
  } catch (const Error& fault) {
    log_warning(std::string(fault.what()) + "; the last weights are kept in place of the best");
  }
}

void Trainer::take_average() {
  WeightAverage average;
  std::vector<std::int64_t> steps;
  for (const std::string& name : state_.averaged) {
    try {
      average.add(folder_.open(name));
      steps.push_back(checkpoint_step(name).value());
    } catch (const Error& fault) {
      log_warning(std::string(fault.what()) + "; left out of the average");
    }
  }
  if (average.files() == 0) return log_warning("no checkpoint is left to average; the last weights are kept");
  const auto mean = average.mean();
  const at::NoGradGuard no_grad;
  for (const Adam::Slot& slot : adam_.slots()) slot.parameter.copy_(mean.at(slot.name));
  kept_steps_ = std::move(steps);
}

bool Trainer::epoch_ended() const {
  const EpochPosition place = batches_->position();
  return place.batch == 0 ? place.epoch > 0 : place.batch == batches_->batches_in_epoch();
}

// Every `every` steps, 0 being the end of each epoch.
bool Trainer::due(std::int64_t every) const {
  if (state_.step == 0) return false;
  return every > 0 ? state_.step % every == 0 : epoch_ended();
}

bool Trainer::validation_due() const {
  return options_.validate && state_.validated_step != state_.step && due(options_.config.validate_every);
}

bool Trainer::save_due() const { return !(saved_ && counted_for_average()) && due(options_.config.save_every); }

bool Trainer::best_is_unsaved() const { return !saved_ && state_.step > 0 && state_.best_step == state_.step; }

bool Trainer::patience_lost() const {
  const std::int64_t patience = options_.config.early_stop.patience;
  return patience > 0 && state_.validations_without_gain >= patience;
}

bool Trainer::limit_reached() const {
  const TrainingConfig& config = options_.config;
  const std::int64_t epochs = state_.position.epoch + (state_.position.batch > 0 && epoch_ended() ? 1 : 0);
  return state_.step >= config.step_limit() || (config.max_epochs && epochs >= *config.max_epochs);
}

// As far as can be known: epochs are taken to have as many batches as this one.
std::int64_t Trainer::last_step() const {
  const TrainingConfig& config = options_.config;
  std::int64_t last = config.step_limit();
  if (config.max_epochs) {
    const auto updates = [&](std::int64_t batches) { return (batches + config.accumulate - 1) / config.accumulate; };
    const std::int64_t epochs = *config.max_epochs - state_.position.epoch;  // with the present one
    const std::int64_t updates_an_epoch = updates(batches_->batches_in_epoch());
    if (epochs <= last / updates_an_epoch)  // else the steps end the run, and the product might overflow
      last = std::min(last, state_.step + epochs * updates_an_epoch - updates(state_.position.batch));
  }
  return std::max(last, state_.step);
}

// This step's file is among those of the average, or there is none.
bool Trainer::counted_for_average() const {
  if (options_.config.average_last == 0) return true;
  return !state_.averaged.empty() && state_.averaged.back() == checkpoint_name(state_.step);
}

}  // namespace gloss
