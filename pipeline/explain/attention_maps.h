#pragma once

#include "common/config/json.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"
#include "pipeline/explain/recorded_pass.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// The attention weights of every head, in the order of the network: encoder, then self- and cross-attention of each
/// decoder layer. Beside the weight stands its product with the norm of what it weighs, ||a v W^O|| (Kobayashi et al.
/// 2020), and each head's entropy in nats, the mean over its queries.
Json attention_maps(const RecordedPass& pass, EncoderDecoder model, const ModelConfig& config);

/// The attention weights with three digits after the point, and the entropies of the exact ones; no norms.
Json rounded_attention_maps(const RecordedPass& pass, const ModelConfig& config);

/// The masks of the pass, one for each kind of attention that the network has, 1 where a query sees a key.
Json masks_of(std::int64_t source_length, std::int64_t target_length, const ModelConfig& config,
              const std::vector<Removal>& removed);

}  // namespace gloss
