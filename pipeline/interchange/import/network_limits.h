#pragma once

#include <cstdint>

namespace gloss {

/// Upper bounds on the sizes in the configuration of another program, those of the run file (model/model_config.cpp).
inline constexpr std::int64_t kMaxLayers = 1000, kMaxWidth = 1 << 17, kMaxPositions = 1 << 24;

}  // namespace gloss
