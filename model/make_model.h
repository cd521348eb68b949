#pragma once

#include "common/random.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

/// Throws UsageError if a vocabulary lacks the special ids, or if all embeddings are tied and the vocabularies differ
/// in size. `config` is valid.
void expect_vocabularies(const ModelConfig& config, const Vocabularies& vocabularies);

/// Returns the modules of a configuration, without checking it. Weights are zero, and factors of norms 1.
EncoderDecoderModules make_modules(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds the EncoderDecoder of a configuration for weights that are read from a file. Until then they are zero, and
/// factors of norms 1. Throws UsageError on a wrong configuration or vocabulary.
EncoderDecoder make_uninitialized_model(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds the EncoderDecoder of a configuration with initial weights (initialization.h). A weight is a function of the
/// seed of `random` and of its name.
EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random);

/// Sets rows that the network keeps at zero to zero again, after its weights were taken from elsewhere
/// (model/alternatives/zero_start_embedding.h).
void reset_zero_rows(const EncoderDecoder& model);

}  // namespace gloss
