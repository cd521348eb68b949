#pragma once

#include <memory>

#include "decoding/scorer.h"
#include "model/model_config.h"
#include "model/storage/lazy_model.h"

namespace gloss {

/// Returns whether make_scorer makes a PlainScorer although `plain` is false: on the CPU for a network that
/// InferenceModel does not support.
bool falls_back_to_plain(at::Device device, const ModelConfig& config);

/// Returns the scorer of a model. CPU: an InferenceScorer, which copies the weights as they are now, its matrices
/// rounded to `precision`, and does not load the network of a LazyModel. Other devices: a TransformerScorer, for
/// float16 and bfloat16 of a network of its own (load_rounded). If `plain` or falls_back_to_plain: a PlainScorer, in
/// float32. This function alone decides how a model translates.
///
/// `max_target_length` counts tokens, eos included.
std::shared_ptr<const Scorer> make_scorer(const LazyModel& model, const ModelConfig& config,
                                          std::int64_t max_target_length,
                                          WeightPrecision precision = WeightPrecision::kFloat32, bool plain = false);

}  // namespace gloss
