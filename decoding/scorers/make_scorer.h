#pragma once

#include <memory>

#include "decoding/scorer.h"
#include "model/encoder_decoder.h"
#include "model/storage/stored_weights.h"

namespace gloss {

/// The scorer that suits the model's device: on the CPU an InferenceScorer, which copies the weights as they are now,
/// its matrices rounded to `precision`; else a TransformerScorer.
std::shared_ptr<const Scorer> make_scorer(const EncoderDecoder& model, const ModelConfig& config,
                                          std::int64_t max_target_length,
                                          WeightPrecision precision = WeightPrecision::kFloat32);

}  // namespace gloss
