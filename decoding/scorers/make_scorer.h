#pragma once

#include <memory>

#include "decoding/scorer.h"
#include "model/model_config.h"
#include "model/storage/lazy_model.h"

namespace gloss {

/// Returns whether make_scorer makes a PlainScorer although it is not asked for: on the CPU for a network that
/// InferenceModel does not support.
bool falls_back_to_plain(at::Device device, const ModelConfig& config);

/// The one place that decides how a model translates. On the CPU that is an InferenceScorer, which copies the weights
/// as they are now, its matrices rounded to `precision`, and does without the network of a LazyModel; on other devices
/// a TransformerScorer. A PlainScorer, which multiplies in float32, translates where `plain` and where
/// falls_back_to_plain.
std::shared_ptr<const Scorer> make_scorer(const LazyModel& model, const ModelConfig& config,
                                          std::int64_t max_target_length,
                                          WeightPrecision precision = WeightPrecision::kFloat32, bool plain = false);

}  // namespace gloss
