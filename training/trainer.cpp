#include "training/trainer.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DeviceType.h>

#include "common/error.h"
#include "common/log/log.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "common/version.h"
#include "model/storage/stored_weights.h"
#include "tensor/caching_allocator.h"
#include "tensor/out_of_memory.h"
#include "training/agreement.h"
#include "training/checkpoint.h"
#include "training/freeze.h"
#include "training/kept_weights.h"
#include "training/schedule.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxSkippedInARow = 10;

// Returns all parameters; those of training.freeze do not require a gradient.
std::vector<std::pair<std::string, at::Tensor>> parameters_to_train(EncoderDecoder& model,
                                                                    const TrainingConfig& config) {
  freeze(model, config.freeze);
  return named_parameters(model);
}

}  // namespace

Trainer::Trainer(EncoderDecoder model, BatchStream& batches, Options options)
    : model_(std::move(model)),
      batches_(&batches),
      options_(std::move(options)),
      plan_(options_.config, batches),
      workers_(model_->device().is_cpu() ? options_.threads : 1),
      adam_(parameters_to_train(model_, options_.config), options_.config, Adam::Path::kFastest, &workers_,
            *options_.exchange),
      folder_(options_.checkpoints, options_.config.keep_checkpoints) {
  options_.config.validate();
  if (options_.config.early_stop.patience > 0 && !options_.validate)
    throw UsageError(
        "training.early_stop.patience: wanted validation data to stop by, got none; name data.valid_source "
        "and data.valid_target, or leave it 0");
  expect_enough_shards(*options_.exchange, model_->device(), options_.config.shards);
  if (!options_.exchange->is_alone()) gradient_exchange_.emplace(*options_.exchange, model_, adam_, workers_);
  state_.position = batches.position();
  state_.shards = options_.config.shards;
  state_.device = c10::DeviceTypeName(model_->device().type(), /*lower_case=*/true);
  state_.hashes = options_.hashes;
}

bool Trainer::resume() {
  const auto loaded = folder_.newest();
  if (!loaded) return false;
  expect_equal_hashes(loaded->state.hashes, options_.hashes);
  if (options_.exchange->is_first()) warn_of_other_numbers(loaded->state, state_);
  batches_->seek(loaded->state.position);
  restore(adam_, loaded->file);
  const auto here = std::exchange(state_, loaded->state);
  state_.shards = here.shards;
  state_.device = here.device;
  saved_ = true;
  return true;
}

TrainingEnd Trainer::run() {
  meter_ = {};
  timed_ = std::chrono::steady_clock::now();
  std::optional<HoldStops> hold;
  if (gradient_exchange_) {
    expect_equal_start(*options_.exchange, {{"program", std::string(kVersion)},
                                            {"inputs", options_.hashes},
                                            {"checkpoint",
                                             {{"step", state_.step},
                                              {"epoch", state_.position.epoch},
                                              {"batch", state_.position.batch},
                                              {"weights", hash_of_weights(adam_)}}}});
    hold.emplace();  // not before: a process that has stopped on its way here would look lost
  }
  try {
    return run_to_end();
  } catch (const Stopped&) {  // a resumed run does what was due
    if (!saved_) save(/*for_average=*/false);
    return TrainingEnd::kStopped;
  } catch (const OutOfMemoryError&) {
    save_finished_work();
    throw;
  } catch (...) {
    if (is_out_of_memory()) save_finished_work();
    throw;
  }
}

TrainingEnd Trainer::run_to_end() {
  while (true) {
    if (const auto stop = take_time(stop_requested())) throw Stopped(*stop);
    const bool start_is_due = options_.validates_start && state_.step == 0 && !state_.scores.start_loss;
    if (options_.validate && (start_is_due || plan_.validation_due(state_))) {
      validate();
      take_time();
    }
    if (plan_.patience_lost(state_)) return finish(TrainingEnd::kEarlyStop);
    if (plan_.limit_reached(state_)) return finish(TrainingEnd::kFinished);
    if (!(saved_ && counted_for_average()) && plan_.save_due(state_))
      try_to_save(/*for_average=*/true);
    else if (best_is_unsaved())
      try_to_save(/*for_average=*/false);
    announce_epoch();
    update();
  }
}

void Trainer::announce_epoch() {
  const auto epoch = state_.position.epoch + (state_.position.batch > 0 && plan_.epoch_ended() ? 1 : 0);
  if (!options_.epoch_begins || announced_epoch_ == epoch) return;
  announced_epoch_ = epoch;
  options_.epoch_begins(epoch);
}

void Trainer::update() {
  const auto begin = std::chrono::steady_clock::now();
  const TrainingConfig& config = options_.config;
  std::vector<Batch> batches;
  do batches.push_back(batches_->next());
  while (static_cast<std::int64_t>(batches.size()) < config.accumulate && !plan_.epoch_ended());

  const auto padded = std::exchange(padded_, {});
  const std::int64_t step = state_.step + 1;
  const double rate = learning_rate(config, options_.d_model, step);
  const UpdateResult result = update_weights(model_, adam_, workers_, batches, RandomStream(options_.seed, "dropout"),
                                             {.step = step,
                                              .learning_rate = rate,
                                              .label_smoothing = config.label_smoothing,
                                              .clip_norm = config.clip_norm,
                                              .precision = config.precision,
                                              .shards = config.shards,
                                              .int8 = config.quantize,
                                              .guided = options_.guided,
                                              .plain = options_.plain,
                                              .padded = padded,
                                              .meanwhile = [this] { prepare_next(); }},
                                             gradient_exchange_ ? &*gradient_exchange_ : nullptr);
  saved_ = false;
  state_.position = batches_->position();
  if (!result.applied) return count_skipped(step);

  state_.step = step;
  state_.skipped_in_a_row = 0;
  state_.unreported_nll += result.nll_sum;
  state_.unreported_tokens += result.tokens;
  meter_.add(result, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (options_.report_every > 0 && step % options_.report_every == 0) report();
  if (options_.progress) options_.progress(meter_.progress(state_, last_step()));
}

// Weights and counts would differ if this threw: the update is done, and not yet counted.
void Trainer::prepare_next() noexcept {
  try {
    batches_->draw_ahead(options_.config.accumulate);
    for (const auto& batch : batches_->ahead())
      padded_.push_back(pad_own_shard(batch, model_->device(), *options_.exchange));
  } catch (...) {  // the next update draws or pads the batch again, and throws
  }
}

void Trainer::count_skipped(std::int64_t step) {
  ++state_.skipped_updates;
  ++state_.skipped_in_a_row;
  if (state_.skipped_in_a_row >= kMaxSkippedInARow)
    throw DivergedError("step " + std::to_string(step) + ": wanted a finite loss and gradient, got none in " +
                        std::to_string(kMaxSkippedInARow) +
                        " updates in a row; lower training.learning_rate, or set training.clip_norm");
  warn("step " + std::to_string(step) + ": the loss or its gradient is not finite; this update is skipped, " +
       std::to_string(state_.skipped_in_a_row) + " in a row");
}

void Trainer::report() {
  const double rate = learning_rate(options_.config, options_.d_model, state_.step);
  const TrainingReport report = meter_.report(state_, rate, last_step());
  if (options_.report) options_.report(report);
}

void Trainer::validate() {
  const at::NoGradGuard no_grad;
  const auto validation = [&] {
    const EmaWeights in_place(adam_);
    return options_.validate(model_, state_.step);
  }();
  note_validation(state_, validation, options_.config.early_stop);
  saved_ = false;
  if (options_.validated) options_.validated(state_, last_step());
}

void Trainer::save(bool for_average) {
  take_time();
  TrainingState state = state_;
  const auto last = static_cast<std::size_t>(options_.config.average_last);
  if (for_average && !counted_for_average()) state.averaged.push_back(checkpoint_name(state.step));
  if (state.averaged.size() > last) state.averaged.erase(state.averaged.begin(), state.averaged.end() - last);

  expect_finite(adam_, state.step);
  expect_equal_weights(*options_.exchange, adam_, state.step);
  const auto tensors = checkpoint_tensors(adam_);
  on_first_process(*options_.exchange, [&] {
    std::map<std::string, at::Tensor> kept;  // what `views` refer to: the weights on the CPU, otherwise copies
    std::map<std::string, TensorView> views;
    for (const auto& [name, tensor] : tensors)
      views.emplace(name, view_of(kept[name] = tensor.detach().cpu().contiguous()));
    folder_.save(views, state);
  });
  state_ = std::move(state);
  saved_ = true;
}

void Trainer::try_to_save(bool for_average) {
  const bool best = options_.config.early_stop.patience > 0 && state_.best_step == state_.step;
  const bool model_needs_it = best || (for_average && options_.config.average_last > 0);
  try {
    save(for_average);
  } catch (const Error& fault) {
    if (fault.exit_code() != ExitCode::kIo) throw;
    if (!model_needs_it) return warn(fault.what() + std::string("; training continues, the next save tries again"));
    warn(fault.what() + std::string("; the model is to be made of this checkpoint: trying once more"));
    save(for_average);
  }
}

// Runs while handling an exception, which no other exception may replace.
void Trainer::save_finished_work() {
  try {
    release_cached_memory();
    if (saved_ || state_.step == 0) return;
    if (gradient_exchange_)
      return log_warning("the other processes cannot save with this one; the work since the last checkpoint is lost");
    save(/*for_average=*/false);
    log_warning("the updates up to step " + std::to_string(state_.step) + " are saved; go on with --resume");
  } catch (const Error& fault) {
    log_warning(std::string(fault.what()) + "; the updates since the last checkpoint are lost");
  } catch (...) {  // not enough memory for saving
    log_warning("no checkpoint can be made; the work since the last one is lost");
  }
}

TrainingEnd Trainer::finish(TrainingEnd end) {
  if (state_.unreported_tokens > 0) {
    report();
    saved_ = false;
  }
  if (!saved_ || !counted_for_average()) save(/*for_average=*/true);
  if (options_.exchange->is_first())
    kept_steps_ = keep_weights(adam_, folder_, options_.config, state_);
  else
    take_ema(adam_);  // keep_weights begins with it, and needs the others for it
  return end;
}

// Logs a warning on process 0 alone, since all processes have the same.
void Trainer::warn(const std::string& message) const {
  if (options_.exchange->is_first()) log_warning(message);
}

// Counts the time up to now; several processes count that of process 0. Returns the first stop that one of them passes.
std::optional<ExitCode> Trainer::take_time(std::optional<ExitCode> stop) {
  const auto now = std::chrono::steady_clock::now();
  state_.seconds += std::chrono::duration<double>(now - std::exchange(timed_, now)).count();
  if (!gradient_exchange_) return stop;
  const auto agreed = agree(*options_.exchange, stop, state_.seconds);
  state_.seconds = agreed.seconds;
  if (agreed.stop) request_stop(*agreed.stop);
  return agreed.stop;
}

bool Trainer::best_is_unsaved() const { return !saved_ && state_.step > 0 && state_.best_step == state_.step; }

std::int64_t Trainer::last_step() const { return plan_.last_step(state_, meter_.seconds_a_step()); }

// Returns whether this step's file is in the average, or there is no average.
bool Trainer::counted_for_average() const {
  if (options_.config.average_last == 0) return true;
  return !state_.averaged.empty() && state_.averaged.back() == checkpoint_name(state_.step);
}

}  // namespace gloss
