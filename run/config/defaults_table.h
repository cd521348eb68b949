#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

// Numbers that docs/measurements.md has the measurements of, and configs/README.md as tables.

namespace gloss {

/// Defaults for texts of up to `pairs` sentence pairs.
struct DefaultsRow {
  std::int64_t pairs;
  std::int64_t vocabulary, batch_tokens;
  std::int64_t layers, d_model, d_ff, heads;
  double dropout, inner_dropout;  ///< inner: attention and feed-forward
  std::string_view schedule;
  double learning_rate;
  std::int64_t warmup_steps;
  std::int64_t epochs;  ///< 0: the default number of updates
  std::int64_t average_last;
  double ema_decay;
};

inline constexpr std::int64_t kAnyPairs = std::numeric_limits<std::int64_t>::max();
/// Updates that a small text gets, by at most this many epochs.
inline constexpr std::int64_t kSmallTextUpdates = 1'200, kSmallTextEpochs = 200;

inline constexpr std::array kDefaultsRows{
    DefaultsRow{2'500, 2'000, 1'024, 2, 128, 256, 4, 0.2, 0.1, "inverse_sqrt", 0.004, 400, 60, 5, 0.999},
    DefaultsRow{15'000, 4'000, 1'024, 2, 128, 256, 4, 0.2, 0.1, "inverse_sqrt", 0.004, 400, 60, 5, 0.999},
    DefaultsRow{200'000, 4'000, 4'096, 4, 128, 256, 4, 0.3, 0.1, "inverse_sqrt", 0.005, 2'000, 65, 5, 0.999},
    DefaultsRow{kAnyPairs, 32'000, 4'096, 6, 512, 2'048, 8, 0.1, 0.1, "noam", 1.0, 4'000, 0, 0, 0},
};

/// Defaults for training a model further (training.start_from) with up to `pairs` sentence pairs.
struct StartRow {
  std::int64_t pairs, batch_tokens, warmup_steps, epochs;
};
inline constexpr std::array kStartRows{StartRow{15'000, 1'024, 100, 25}, StartRow{200'000, 2'048, 400, 15},
                                       StartRow{kAnyPairs, 4'096, 1'000, 8}};
/// Peak of the learning rate up to this width, and decay of the mean of the weights.
inline constexpr double kStartRate = 0.001, kStartWidth = 128, kStartEma = 0.999;
inline constexpr std::int64_t kStartPatience = 5, kStartUpdates = 400;

}  // namespace gloss
