#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/config/config_section.h"
#include "common/config/setting.h"
#include "model/int8_scales.h"

namespace gloss {

enum class ScheduleKind { kNoam, kInverseSqrt, kConstant };
enum class Precision { kFloat32, kBfloat16 };
enum class EarlyStopMetric { kBleu, kLoss, kPerplexity };

/// The head of cross-attention that learns alignments, and the weight of their loss; 0: none.
struct GuidedAlignment {
  double weight = 0;
  std::int64_t layer = 0, head = 0;

  std::string site() const;  ///< of the attention: "decoder.layers.1.cross_attention"
  std::string name() const;  ///< of the head, as decoding.alignment_from: "decoder.1.cross.0"
};

/// The section `training` of the run file. A step is an update of the weights.
struct TrainingConfig {
  static constexpr std::int64_t kDefaultSteps = 100'000;  ///< of a run without a limit

  std::optional<std::int64_t> max_steps;  ///< 0: writes the initial model; kDefaultSteps without any limit
  std::optional<std::int64_t> max_epochs;
  std::optional<double> max_hours;  ///< by the clock, over all processes of the run; the first limit ends the run
  double learning_rate = 1.0;       ///< noam: the factor; inverse_sqrt: the peak; constant: the rate
  ScheduleKind schedule = ScheduleKind::kNoam;
  std::int64_t warmup_steps = 4000;                  ///< not used by `constant`
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  ///< Adam (section 5.3)
  double label_smoothing = 0.1;
  std::int64_t accumulate = 1;        ///< batches an update, weighted by their tokens; an epoch's last may have fewer
  std::int64_t shards = 4;            ///< parts of a batch that threads compute independently
  double clip_norm = 0;               ///< maximum norm of the gradient; 0: not clipped
  std::int64_t validate_every = 0;    ///< steps; 0: at the end of each epoch
  std::int64_t save_every = 0;        ///< steps; 0: at the end of each epoch
  std::int64_t keep_checkpoints = 3;  ///< number of newest ones; the best and those of the average are kept, too
  std::int64_t average_last = 0;      ///< the model is the mean of the weights of the last n saves; 0: the last weights
  /// Decay of the EMA of the weights (training/adam.h), which is then validated, averaged and kept; 0: no EMA.
  double ema_decay = 0;
  struct EarlyStop {
    EarlyStopMetric metric = EarlyStopMetric::kBleu;  ///< determines the best checkpoint, even if patience is 0
    /// Number of validations without a better value that end the run. The model is then the best checkpoint. 0: never.
    std::int64_t patience = 0;
  } early_stop;
  Precision precision = Precision::kFloat32;
  Int8Scales quantize = Int8Scales::kNone;  ///< int8 tuning (model/int8_rounding.h)
  double guided_alignment = 0.1;            ///< weight of the loss of guided alignment, with data.train_alignment
  std::string guided_alignment_head;        ///< the head that learns alignments; empty: head 0 of the last layer
  std::string start_from;                   ///< a model file with the initial weights; empty: random weights
  std::vector<std::string> freeze;          ///< parts that are not trained, by prefixes of their tensors' names
  struct InitialEmbeddings {
    std::string source, target;  ///< word2vec text files; empty: random rows
  } initial_embeddings;

  /// Returns the last step: max_steps; kDefaultSteps without limits; the maximum if only other limits are set.
  std::int64_t step_limit() const;

  /// Throws UsageError naming the key.
  void validate() const;
};

/// Returns the declarations of the section's keys.
const Settings<TrainingConfig>& training_settings();

/// Reads the section. Throws UsageError if a key is unknown or of the wrong type; validate() checks ranges.
TrainingConfig read_training_config(ConfigSection section);
/// Returns every key with its value, defaults filled in. Only limits that are set are written, or max_steps if no limit
/// is.
Json to_json(const TrainingConfig& config);

}  // namespace gloss
