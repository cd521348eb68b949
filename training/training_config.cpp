#include "training/training_config.h"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "common/config/settings.h"

namespace gloss {
namespace {

using namespace std::string_view_literals;

constexpr std::array kSchedules = {std::pair{"noam"sv, ScheduleKind::kNoam},
                                   std::pair{"inverse_sqrt"sv, ScheduleKind::kInverseSqrt},
                                   std::pair{"constant"sv, ScheduleKind::kConstant}};
constexpr std::array kPrecisions = {std::pair{"float32"sv, Precision::kFloat32},
                                    std::pair{"bfloat16"sv, Precision::kBfloat16}};
constexpr std::array kMetrics = {std::pair{"bleu"sv, EarlyStopMetric::kBleu},
                                 std::pair{"loss"sv, EarlyStopMetric::kLoss},
                                 std::pair{"perplexity"sv, EarlyStopMetric::kPerplexity}};

// The streams of random numbers count updates in 32 bits.
constexpr std::int64_t kMaxSteps = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();

Json to_json(const TrainingConfig::InitialEmbeddings& files) {
  return {{"source", files.source}, {"target", files.target}};
}

/// Returns max_steps, or the default limit if no limit is set; null if only other limits are.
Json written_steps(const TrainingConfig& config) {
  if (!config.max_steps && (config.max_epochs || config.max_hours)) return nullptr;
  return config.step_limit();
}

}  // namespace

const Settings<TrainingConfig>& training_settings() {
  using Config = TrainingConfig;
  static const Settings<Config> settings(
      "training",
      {{field(&Config::max_steps).writing(written_steps),
        {.key = "max_steps",
         .help = "updates after which the run ends; 0 writes the initialized model",
         .range = between(0, kMaxSteps),
         .shown_default = "100000 without any limit",
         .identity = Identity::kNever}},
       {field(&Config::max_epochs),
        {.key = "max_epochs",
         .help = "epochs after which the run ends",
         .range = between(1, kMaxCount),
         .identity = Identity::kNever}},
       {field(&Config::max_hours),
        {.key = "max_hours",
         .help = "wall-clock hours after which the run ends, including the hours before a stop",
         .range = above(0),
         .identity = Identity::kNever}},
       {choice_field(&Config::schedule, kSchedules), {.key = "schedule", .help = "how the learning rate changes"}},
       {field(&Config::learning_rate),
        {.key = "learning_rate",
         .help = "`noam`: a factor; `inverse_sqrt`: the peak; `constant`: the rate",
         .range = above(0)}},
       {field(&Config::warmup_steps),
        {.key = "warmup_steps",
         .help = "updates until the learning rate reaches its peak; `constant` has none",
         .range = between(1, kMaxCount)}},
       {field(&Config::beta1), {.key = "beta1", .help = "beta1 of Adam", .range = from_below(0, 1)}},
       {field(&Config::beta2), {.key = "beta2", .help = "beta2 of Adam", .range = from_below(0, 1)}},
       // Adam computes in float32. A smaller number would be 0 or lose digits, and 0 / 0 is NaN.
       {field(&Config::epsilon),
        {.key = "epsilon",
         .help = "epsilon of Adam; at least the smallest normal number of float32",
         .range = between(std::numeric_limits<float>::min(), std::numeric_limits<float>::max()),
         .wanted = "a number of float32, from 1.17549436e-38"}},
       {field(&Config::label_smoothing),
        {.key = "label_smoothing",
         .help = "share of the probability spread over the whole vocabulary",
         .range = from_below(0, 1)}},
       {field(&Config::accumulate),
        {.key = "accumulate", .help = "batches per update, weighted by their tokens", .range = between(1, kMaxCount)}},
       {field(&Config::shards),
        {.key = "shards",
         .help = "parts of a batch that threads compute independently; the last bits of the weights depend on it",
         .range = between(1, 1024),
         .identity = Identity::kUnlessDefault}},
       {field(&Config::clip_norm),
        {.key = "clip_norm", .help = "maximum norm of the gradient; 0: no limit", .range = at_least(0)}},
       {field(&Config::validate_every),
        {.key = "validate_every",
         .help = "updates between validations; 0: at the end of each epoch",
         .range = between(0, kMaxCount),
         .identity = Identity::kNever}},
       {field(&Config::save_every),
        {.key = "save_every",
         .help = "updates between checkpoints; 0: at the end of each epoch",
         .range = between(0, kMaxCount),
         .identity = Identity::kNever}},
       {field(&Config::keep_checkpoints),
        {.key = "keep_checkpoints",
         .help = "number of the newest checkpoints that stay",
         .range = between(1, kMaxCount),
         .identity = Identity::kNever}},
       {field(&Config::average_last),
        {.key = "average_last",
         .help = "number of last saves whose mean becomes the model; 0: the last weights",
         .range = between(0, kMaxCount)}},
       {field(&Config::ema_decay),
        {.key = "ema_decay",
         .help = "above 0: decay of a moving average of the weights, which becomes the model",
         .range = from_below(0, 1)}},
       {choice_field(&Config::early_stop, &Config::EarlyStop::metric, kMetrics),
        {.key = "early_stop.metric", .help = "score of the validation text that decides which checkpoint is the best"}},
       {field(&Config::early_stop, &Config::EarlyStop::patience),
        {.key = "early_stop.patience",
         .help = "the run ends after this many validations without a better value; 0: never",
         .range = between(0, kMaxCount),
         .identity = Identity::kNever}},
       {choice_field(&Config::precision, kPrecisions),
        {.key = "precision",
         .help = "`bfloat16` rounds the factors of matrix products; sums and weights stay float32"}},
       {choice_field(&Config::quantize, kInt8Scales),
        {.key = "quantize",
         .help = "int8 tuning: rounds factors of products to int8, with a scale for each row or for each matrix",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::guided_alignment),
        {.key = "guided_alignment",
         .help = "weight of the loss of attention against the links of data.train_alignment; 0: none",
         .range = between(0, 1000),
         .identity = Identity::kUnlessDefault}},
       {field(&Config::guided_alignment_head),
        {.key = "guided_alignment_head",
         .help = "head of cross-attention that learns the links, such as decoder.1.cross.0",
         .shown_default = "head 0 of the last layer",
         .identity = Identity::kUnlessDefault}},
       {path_field(&Config::start_from),
        {.key = "start_from", .help = "model file or run folder whose weights the run begins with: fine-tuning"}},
       {field(&Config::freeze),
        {.key = "freeze",
         .help = "parts that are not trained, given by the beginning of their tensor names",
         .identity = Identity::kUnlessDefault}},
       {path_field(&Config::initial_embeddings, &Config::InitialEmbeddings::source),
        {.key = "initial_embeddings.source", .help = "word2vec text file whose vectors replace random ones"}},
       {path_field(&Config::initial_embeddings, &Config::InitialEmbeddings::target),
        {.key = "initial_embeddings.target", .help = "the same for the target language"}}});
  return settings;
}

std::string GuidedAlignment::site() const { return "decoder.layers." + std::to_string(layer) + ".cross_attention"; }

std::string GuidedAlignment::name() const {
  return "decoder." + std::to_string(layer) + ".cross." + std::to_string(head);
}

std::int64_t TrainingConfig::step_limit() const {
  if (max_steps) return *max_steps;
  return max_epochs || max_hours ? kMaxSteps : kDefaultSteps;
}

void TrainingConfig::validate() const {
  training_settings().validate(*this);
  require(average_last == 0 || early_stop.patience == 0, "training.average_last",
          "0 beside training.early_stop.patience, which makes the best checkpoint the model; training.ema_decay "
          "averages beside it",
          average_last);
  require(quantize == Int8Scales::kNone || precision == Precision::kFloat32, "training.precision",
          {"float32 beside ", Key{"training.quantize"}, ", which rounds the same factors"}, "bfloat16");
  require(start_from.empty() || (initial_embeddings.source.empty() && initial_embeddings.target.empty()),
          "training.initial_embeddings",
          "no files beside training.start_from, whose model brings embeddings of its own", to_json(initial_embeddings));
}

TrainingConfig read_training_config(ConfigSection section) { return training_settings().read(std::move(section)); }

Json to_json(const TrainingConfig& config) { return training_settings().to_json(config); }

}  // namespace gloss
