#pragma once

#include "common/random.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

/// Throws UsageError if a vocabulary lacks the special ids, or if all embeddings are tied and the vocabularies differ
/// in size. `config` is valid.
void expect_vocabularies(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds the EncoderDecoder of a configuration for weights that are read from a file. Until then they are zero, and
/// factors of norms 1. Throws UsageError on a wrong configuration or vocabulary.
EncoderDecoder make_uninitialized_model(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds the EncoderDecoder of a configuration with initial weights (initialization.h). A weight is a function of the
/// seed of `random` and of its name. If the decoder starts from zero, the rows of pad and bos of the target's embedding
/// are zero.
EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random);

}  // namespace gloss
