#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

enum class ScheduleKind { kNoam, kInverseSqrt, kConstant };
enum class Precision { kFloat32, kBfloat16 };
enum class EarlyStopMetric { kBleu, kLoss, kPerplexity };

/// `training` of the run file. A step is an update of the weights.
struct TrainingConfig {
  std::optional<std::int64_t> max_steps;  ///< 0 writes the freshly initialized model; without any limit 100,000
  std::optional<std::int64_t> max_epochs;
  std::optional<double> max_hours;  ///< by the clock, those before a stop counted; the first limit ends the run
  double learning_rate = 1.0;       ///< noam: the factor; inverse_sqrt: the peak; constant: the rate
  ScheduleKind schedule = ScheduleKind::kNoam;
  std::int64_t warmup_steps = 4000;                  ///< constant has none
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  ///< Adam (section 5.3)
  double label_smoothing = 0.1;
  std::int64_t accumulate = 1;        ///< batches an update, weighted by their tokens; an epoch's last may have fewer
  double clip_norm = 0;               ///< largest norm of the gradient; 0: not clipped
  std::int64_t validate_every = 0;    ///< steps; 0: at the end of each epoch
  std::int64_t save_every = 0;        ///< steps; 0: at the end of each epoch
  std::int64_t keep_checkpoints = 3;  ///< the newest; those of the average and the best stay beside them
  std::int64_t average_last = 0;  ///< the model is the mean of the weights at this many last saves; 0: the last weights
  /// Above 0 the moving mean of the weights (training/adam.h) is what is validated, averaged and kept.
  double ema_decay = 0;
  struct EarlyStop {
    EarlyStopMetric metric = EarlyStopMetric::kBleu;  ///< also where patience is 0: by it the best checkpoint is kept
    /// Validations without a better value until the run ends, and the model is then the best checkpoint; 0: never.
    std::int64_t patience = 0;
  } early_stop;
  Precision precision = Precision::kFloat32;
  std::string start_from;           ///< a model file whose weights the run begins with; empty: weights are drawn
  std::vector<std::string> freeze;  ///< parts, by the beginning of their tensors' names, that stay as they begin
  struct InitialEmbeddings {
    std::string source, target;  ///< word2vec text files; empty: rows are drawn
  } initial_embeddings;

  /// Where the run ends by its steps: max_steps; without limits 100,000; the largest number where only others are set.
  std::int64_t step_limit() const;

  /// Throws UsageError naming the key.
  void validate() const;
};

/// The declarations of the section's keys.
const Settings<TrainingConfig>& training_settings();

/// Throws UsageError where a key is unknown or of the wrong type; ranges are for validate().
TrainingConfig read_training_config(ConfigSection section);
/// Every key with its value, defaults filled in: without limits max_steps is there, beside a limit the other is not.
Json to_json(const TrainingConfig& config);

}  // namespace gloss
