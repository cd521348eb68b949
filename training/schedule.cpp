#include "training/schedule.h"

#include <algorithm>
#include <cmath>

namespace gloss {

double learning_rate(const TrainingConfig& config, std::int64_t d_model, std::int64_t step) {
  const double t = static_cast<double>(step);
  const double warmup = static_cast<double>(config.warmup_steps);
  switch (config.schedule) {
    case ScheduleKind::kNoam:
      return config.learning_rate * std::pow(static_cast<double>(d_model), -0.5) *
             std::min(std::pow(t, -0.5), t * std::pow(warmup, -1.5));
    case ScheduleKind::kInverseSqrt:
      return config.learning_rate * std::min(t / warmup, std::sqrt(warmup / t));
    case ScheduleKind::kConstant:
      break;
  }
  return config.learning_rate;
}

std::int64_t peak_step(const TrainingConfig& config, std::int64_t updates) {
  return config.schedule == ScheduleKind::kConstant ? 1 : std::clamp<std::int64_t>(config.warmup_steps, 1, updates);
}

}  // namespace gloss
