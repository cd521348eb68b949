#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/batch_stream.h"
#include "model/encoder_decoder.h"
#include "training/adam.h"
#include "training/checkpoint.h"
#include "training/early_stop.h"
#include "training/training_config.h"
#include "training/training_plan.h"
#include "training/training_report.h"

namespace gloss {

using ValidateFunction = std::function<Validation(EncoderDecoder& model, std::int64_t step)>;

enum class TrainingEnd { kFinished, kEarlyStop, kStopped };

/// One run of training: forward, loss, backward, update; validation, checkpoints, limits. Everything that happens is a
/// function of the seed, the data and the configuration, so that a run that was stopped and resumed gives on the CPU
/// the bits of one that was not, and on a GPU comes close to them (training/determinism.h).
class Trainer {
 public:
  struct Options {
    TrainingConfig config;
    std::int64_t d_model = 512;
    std::uint64_t seed = 1;
    std::filesystem::path checkpoints;  ///< folder
    std::int64_t threads = 1;
    Json hashes = Json::object();  ///< name to hash: kept in the checkpoints and compared on resuming
    ValidateFunction validate;     ///< may be empty; is called without recording of gradients
    std::function<void(const TrainingReport&)> report;      ///< may be empty
    std::function<void(const TrainingProgress&)> progress;  ///< behind each update; may be empty
    std::int64_t report_every = 50;  ///< steps; what is left over is reported at the end; 0: at the end alone
  };

  /// `model` is trained in place; `batches` must outlive the trainer. Throws UsageError where early stopping is asked
  /// for without validation, and where the parts to freeze are not the model's.
  Trainer(EncoderDecoder model, BatchStream& batches, Options options);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Takes the newest checkpoint's weights, optimizer, place and counts. False where there is none. Throws UsageError
  /// where the hashes differ, listing which, ModelError where no checkpoint is whole or the newest does not fit the
  /// model; warns where the threads or the kind of device differ.
  bool resume();

  /// Trains until a limit, early stopping or a signal (the step is finished and saved). When the run has ended, the
  /// model holds the weights to keep (training/kept_weights.h). Call it once. With ema_decay, validations see the
  /// moving mean of the weights, while training goes on with the weights themselves. An update whose loss or gradient
  /// is not finite is skipped and counted, and the step stays the same; after ten in a row it throws DivergedError, as
  /// where weights that are no numbers would be saved. A checkpoint that cannot be written is warned of. Where the
  /// model is to be made of it (the best, one of the average) it is tried once more; where that fails too, and at the
  /// end, it is an IoError: resumed, the run still ends with the same model. Where memory runs out and splitting a
  /// batch (training/update.h) does not help, what is done is saved, and OutOfMemoryError or what LibTorch threw goes
  /// on to the caller.
  TrainingEnd run();

  const TrainingState& state() const { return state_; }
  /// The steps of the weights that `run` left in the model: one, or those of the average.
  const std::vector<std::int64_t>& kept_steps() const { return kept_steps_; }

 private:
  TrainingEnd run_to_end();
  void update();
  void validate();
  void save(bool for_average);
  void save_and_go_on(bool for_average);
  void count_skipped(std::int64_t step);
  void report();
  void save_what_is_done();
  TrainingEnd finish(TrainingEnd end);

  void take_time();
  bool best_is_unsaved() const;
  bool counted_for_average() const;
  std::int64_t last_step() const;

  EncoderDecoder model_;
  BatchStream* batches_;
  Options options_;
  TrainingPlan plan_;
  Adam adam_;
  CheckpointFolder folder_;
  TrainingState state_;
  bool saved_ = false;  ///< the state is on the disk
  std::vector<std::int64_t> kept_steps_;
  TrainingMeter meter_;
  std::chrono::steady_clock::time_point timed_ = std::chrono::steady_clock::now();  ///< state_.seconds are until then
};

}  // namespace gloss
