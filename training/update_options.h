#pragma once

#include <cstdint>

#include "training/training_config.h"

namespace gloss {

/// Settings of one update.
struct UpdateOptions {
  std::int64_t step = 1;  ///< number of the update, from 1
  double learning_rate = 0;
  double label_smoothing = 0;
  double clip_norm = 0;                       ///< 0: not clipped
  Precision precision = Precision::kFloat32;  ///< of the factors of matrix products
  std::int64_t shards = 1;                    ///< parts of a batch; on a GPU one per process
  bool plain = false;                         ///< Pass::plain
};

/// Time of the phases of an update, in seconds. The time in which some workers go forward and others backward is
/// divided in proportion to the sums of their times. A GPU works asynchronously; a phase may include only its launch.
struct UpdateSeconds {
  double forward = 0, backward = 0, optimizer = 0;
};

}  // namespace gloss
