#pragma once

#include <cstdint>

#include "model/model_config.h"
#include "run/config/run_config.h"

namespace gloss {

inline constexpr Vocabularies kOneLayerVocabularies{100, 100};

/// Returns the settings of a run with one layer on each side.
inline RunConfig one_layer_run(std::int64_t d_model, std::int64_t batch_tokens) {
  RunConfig config;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.model.d_model = config.model.d_ff = d_model;
  config.data.batch_tokens = batch_tokens;
  return config;
}

}  // namespace gloss
