#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/error.h"
#include "data/batch_stream.h"
#include "model/encoder_decoder.h"
#include "training/adam.h"
#include "training/batch_loss.h"
#include "training/checkpoint.h"
#include "training/gradient_exchange.h"
#include "training/processes/exchange.h"
#include "training/training_config.h"
#include "training/training_plan.h"
#include "training/training_report.h"

namespace gloss {

/// Validates the model at a step. May throw Stopped (common/system/stop.h).
using ValidateFunction = std::function<Validation(EncoderDecoder& model, std::int64_t step)>;

/// The reason for the end of a training: a limit, early stopping, or a signal.
enum class TrainingEnd { kFinished, kEarlyStop, kStopped };

/// One training run: forward, loss, backward, update; validation, checkpoints, limits. Everything is a function of the
/// seed, the data and the configuration. A resumed run therefore produces the bits of an unbroken one on the CPU, and
/// close values on a GPU (tensor/runtime.h).
class Trainer {
 public:
  struct Options {
    TrainingConfig config;
    std::int64_t d_model = 512;
    std::uint64_t seed = 1;
    std::filesystem::path checkpoints;  ///< folder
    std::int64_t threads = 1;           ///< of the updates; without effect on the bits
    Json hashes = Json::object();       ///< name to hash; saved in checkpoints and compared when resuming
    ValidateFunction validate;          ///< may be empty; called without recording of gradients
    bool validates_start = false;       ///< a new run also validates the model before the first update, as step 0
    /// Called after each validation with the state that counts it; may be empty.
    std::function<void(const TrainingState&, std::int64_t last_step)> validated = {};
    std::function<void(const TrainingReport&)> report;      ///< may be empty
    std::function<void(const TrainingProgress&)> progress;  ///< called after each update; may be empty
    /// Called with the epoch before its first update, and before the first update of a resumed run; may be empty.
    std::function<void(std::int64_t epoch)> epoch_begins = {};
    Exchange* exchange = &no_exchange();  ///< the other processes of the run; outlives the trainer
    GuidedAlignment guided = {};          ///< of batches with links
    bool plain = false;                   ///< updates use the equations of model/ alone (Pass::plain)
    std::int64_t report_every = 50;  ///< steps between reports; the rest is reported at the end; 0: only at the end
  };

  /// Trains `model` in place; `batches` must outlive the trainer. Throws UsageError if early stopping has no
  /// validation, if training.freeze names unknown parts, and for more processes than shards.
  ///
  /// The processes of `exchange` call the same functions with the same inputs. Process 0 alone writes checkpoints and
  /// has the weights to keep in the end; the others read checkpoints in the same folder.
  Trainer(EncoderDecoder model, BatchStream& batches, Options options);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Restores weights, optimizer, position and counts from the newest checkpoint. Returns false if there is none.
  /// Throws UsageError with the names of hashes that differ; ModelError if no checkpoint is intact or the newest does
  /// not fit the model. Warns if the kind of device differs, or if an earlier version without shards saved it.
  bool resume();

  /// Trains until a limit, early stopping or a signal (after which the step is finished and saved). Afterwards the
  /// model holds the weights to keep (training/kept_weights.h). Call it once.
  /// With ema_decay, validations use the EMA of the weights, and training continues with the weights. An update with a
  /// loss or gradient that is not finite is skipped and counted, and does not increase the step. Ten in a row throw
  /// DivergedError; so does saving weights that are not finite.
  /// A checkpoint that cannot be written causes a warning. If the final model needs it (the best, or one of the
  /// average), writing is tried again; if that fails, and for the last checkpoint, IoError is thrown, and the resumed
  /// run ends with the same model.
  /// If memory runs out even for a split batch (training/update.h), finished work is saved, and OutOfMemoryError or
  /// LibTorch's exception is rethrown. With several processes, no process saves then.
  /// Several processes stop after the same step if a signal reaches one of them. Throws UsageError if they did not
  /// start alike, LostProcessError, and Error if their weights differ when they save. A UsageError or IoError of
  /// process 0 is a ReportedError on the others.
  TrainingEnd run();

  const TrainingState& state() const { return state_; }
  /// Returns the steps of the weights that `run` left in the model: one, or those of the average.
  const std::vector<std::int64_t>& kept_steps() const { return kept_steps_; }

 private:
  TrainingEnd run_to_end();
  void update();
  void announce_epoch();
  void prepare_next() noexcept;
  void validate();
  void save(bool for_average);
  void try_to_save(bool for_average);
  void count_skipped(std::int64_t step);
  void report();
  void save_finished_work();
  TrainingEnd finish(TrainingEnd end);

  void warn(const std::string& message) const;
  std::optional<ExitCode> take_time(std::optional<ExitCode> stop = std::nullopt);
  bool best_is_unsaved() const;
  bool counted_for_average() const;
  std::int64_t last_step() const;

  EncoderDecoder model_;
  BatchStream* batches_;
  Options options_;
  TrainingPlan plan_;
  Workers workers_;
  Adam adam_;
  std::optional<GradientExchange> gradient_exchange_;  ///< with several processes
  CheckpointFolder folder_;
  TrainingState state_;
  std::vector<PaddedBatch> padded_;  ///< the next batches, on a GPU
  bool saved_ = false;               ///< the current state is saved
  std::optional<std::int64_t> announced_epoch_;
  std::vector<std::int64_t> kept_steps_;
  TrainingMeter meter_;
  std::chrono::steady_clock::time_point timed_ = std::chrono::steady_clock::now();  ///< state_.seconds are counted up
                                                                                    ///< to this time
};

}  // namespace gloss
