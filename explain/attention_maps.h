#pragma once

#include "common/config/json.h"
#include "explain/recorded_pass.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// Returns the attention weights of every head: encoder, then self- and cross-attention of each decoder layer. Each map
/// also has the products ||a v W^O|| of a weight and the norm of the value that it weighs (Kobayashi et al. 2020). It
/// has each head's entropy in nats, the mean over its queries.
Json attention_maps(const RecordedPass& pass, EncoderDecoder model, const ModelConfig& config);

/// Returns the attention weights rounded to three decimals, with the entropies of the exact ones and without norms.
Json rounded_attention_maps(const RecordedPass& pass, const ModelConfig& config);

/// Returns the masks of the pass, one for each kind of attention that the network has: 1 if a query sees a key.
Json masks_of(std::int64_t source_length, std::int64_t target_length, const ModelConfig& config,
              const std::vector<Removal>& removed);

}  // namespace gloss
