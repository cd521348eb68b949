#include "training/training_config.h"

#include <array>
#include <limits>
#include <string>

namespace gloss {
namespace {

using namespace std::string_view_literals;

constexpr std::array kScheduleNames = {std::pair{"noam"sv, ScheduleKind::kNoam},
                                       std::pair{"inverse_sqrt"sv, ScheduleKind::kInverseSqrt},
                                       std::pair{"constant"sv, ScheduleKind::kConstant}};
constexpr std::array kPrecisionNames = {std::pair{"float32"sv, Precision::kFloat32},
                                        std::pair{"bfloat16"sv, Precision::kBfloat16}};
constexpr std::array kMetricNames = {std::pair{"bleu"sv, EarlyStopMetric::kBleu},
                                     std::pair{"loss"sv, EarlyStopMetric::kLoss},
                                     std::pair{"perplexity"sv, EarlyStopMetric::kPerplexity}};
constexpr Choices<ScheduleKind> kSchedules = kScheduleNames;
constexpr Choices<Precision> kPrecisions = kPrecisionNames;
constexpr Choices<EarlyStopMetric> kMetrics = kMetricNames;

constexpr std::int64_t kDefaultSteps = 100'000;
// The streams of random numbers count updates in 32 bits.
constexpr std::int64_t kMostSteps = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostOfOthers = std::numeric_limits<std::int32_t>::max();

void require_count(std::string_view key, std::int64_t least, std::string_view least_means, std::int64_t value) {
  std::string range = std::to_string(least);
  range.append(least_means).append(" to 2^31 - 1");
  require(value >= least && value <= kMostOfOthers, key, range, value);
}

void read_limit(ConfigSection& section, std::string_view key, std::optional<std::int64_t>& limit) {
  std::int64_t value = 0;
  section.read(key, value);
  if (section.has(key)) limit = value;
}

Json to_json(const TrainingConfig::InitialEmbeddings& files) {
  return {{"source", files.source}, {"target", files.target}};
}

}  // namespace

std::int64_t TrainingConfig::step_limit() const {
  if (max_steps) return *max_steps;
  return max_epochs || max_hours ? kMostSteps : kDefaultSteps;
}

void TrainingConfig::validate() const {
  const auto in_unit = [](double value) { return value >= 0 && value < 1; };
  if (max_steps)
    require(*max_steps >= 0 && *max_steps <= kMostSteps, "training.max_steps", "0 to 2^32 - 1", *max_steps);
  if (max_epochs) require_count("training.max_epochs", 1, "", *max_epochs);
  if (max_hours) require(*max_hours > 0, "training.max_hours", "more than 0", *max_hours);
  require(learning_rate > 0, "training.learning_rate", "more than 0", learning_rate);
  require_count("training.warmup_steps", 1, "", warmup_steps);
  require(in_unit(beta1), "training.beta1", "at least 0 and below 1", beta1);
  require(in_unit(beta2), "training.beta2", "at least 0 and below 1", beta2);
  // Adam computes in float32, where a smaller number is 0 or loses digits, and 0 / 0 is NaN.
  require(epsilon >= std::numeric_limits<float>::min() && epsilon <= std::numeric_limits<float>::max(),
          "training.epsilon", "a number of float32, from 1.17549436e-38", epsilon);
  require(in_unit(label_smoothing), "training.label_smoothing", "at least 0 and below 1", label_smoothing);
  require_count("training.accumulate", 1, "", accumulate);
  require(clip_norm >= 0, "training.clip_norm", "0 (not clipped) or more", clip_norm);
  require_count("training.validate_every", 0, " (each epoch)", validate_every);
  require_count("training.save_every", 0, " (each epoch)", save_every);
  require_count("training.keep_checkpoints", 1, "", keep_checkpoints);
  require_count("training.average_last", 0, " (the last weights)", average_last);
  require(in_unit(ema_decay), "training.ema_decay", "0 (no moving mean) or more, and below 1", ema_decay);
  require_count("training.early_stop.patience", 0, " (never)", early_stop.patience);
  require(average_last == 0 || early_stop.patience == 0, "training.average_last",
          "0 beside training.early_stop.patience, which makes the best checkpoint the model", average_last);
  require(start_from.empty() || (initial_embeddings.source.empty() && initial_embeddings.target.empty()),
          "training.initial_embeddings",
          "no files beside training.start_from, whose model brings embeddings of its own", to_json(initial_embeddings));
}

TrainingConfig read_training_config(ConfigSection section) {
  TrainingConfig config;
  read_limit(section, "max_steps", config.max_steps);
  read_limit(section, "max_epochs", config.max_epochs);
  section.read("max_hours", config.max_hours);
  section.read("learning_rate", config.learning_rate);
  section.read("schedule", config.schedule, kSchedules);
  section.read("warmup_steps", config.warmup_steps);
  section.read("beta1", config.beta1);
  section.read("beta2", config.beta2);
  section.read("epsilon", config.epsilon);
  section.read("label_smoothing", config.label_smoothing);
  section.read("accumulate", config.accumulate);
  section.read("clip_norm", config.clip_norm);
  section.read("validate_every", config.validate_every);
  section.read("save_every", config.save_every);
  section.read("keep_checkpoints", config.keep_checkpoints);
  section.read("average_last", config.average_last);
  section.read("ema_decay", config.ema_decay);
  ConfigSection early_stop = section.section("early_stop");
  early_stop.read("metric", config.early_stop.metric, kMetrics);
  early_stop.read("patience", config.early_stop.patience);
  early_stop.finish();
  section.read("precision", config.precision, kPrecisions);
  section.read("start_from", config.start_from);
  section.read("freeze", config.freeze);
  ConfigSection embeddings = section.section("initial_embeddings");
  embeddings.read("source", config.initial_embeddings.source);
  embeddings.read("target", config.initial_embeddings.target);
  embeddings.finish();
  section.finish();
  return config;
}

Json to_json(const TrainingConfig& config) {
  Json json = {
      {"learning_rate", config.learning_rate},
      {"schedule", choice_name(config.schedule, kSchedules)},
      {"warmup_steps", config.warmup_steps},
      {"beta1", config.beta1},
      {"beta2", config.beta2},
      {"epsilon", config.epsilon},
      {"label_smoothing", config.label_smoothing},
      {"accumulate", config.accumulate},
      {"clip_norm", config.clip_norm},
      {"validate_every", config.validate_every},
      {"save_every", config.save_every},
      {"keep_checkpoints", config.keep_checkpoints},
      {"average_last", config.average_last},
      {"ema_decay", config.ema_decay},
      {"early_stop",
       {{"metric", choice_name(config.early_stop.metric, kMetrics)}, {"patience", config.early_stop.patience}}},
      {"precision", choice_name(config.precision, kPrecisions)},
      {"start_from", config.start_from},
      {"freeze", config.freeze},
      {"initial_embeddings", to_json(config.initial_embeddings)},
  };
  if (config.max_steps || (!config.max_epochs && !config.max_hours)) json["max_steps"] = config.step_limit();
  if (config.max_epochs) json["max_epochs"] = *config.max_epochs;
  if (config.max_hours) json["max_hours"] = *config.max_hours;
  return json;
}

}  // namespace gloss
