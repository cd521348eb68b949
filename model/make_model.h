#pragma once

#include "common/random.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"

namespace gloss {

/// Throws UsageError unless a model of this (valid) configuration can have these vocabularies.
void expect_vocabularies(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds the EncoderDecoder of a configuration. Weights are zero, and those of norms 1. Throws UsageError on a wrong
/// configuration or vocabulary.
EncoderDecoder build_model(const ModelConfig& config, const Vocabularies& vocabularies);

/// Builds it with initial weights (initialization.h). A weight is a function of the seed of `random` and of its name.
EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random);

}  // namespace gloss
