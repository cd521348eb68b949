#include "model/make_model.h"

#include <algorithm>
#include <memory>
#include <string>

#include "common/error.h"
#include "common/special_ids.h"
#include "model/alternatives/recurrent_decoder.h"
#include "model/alternatives/recurrent_encoder.h"
#include "model/initialization.h"

namespace gloss {
namespace {

std::shared_ptr<EncoderImpl> encoder_of(const ModelConfig& config) {
  if (!config.is_transformer()) return std::make_shared<RecurrentEncoderImpl>(config);
  return std::make_shared<EncoderImpl>(config);
}

std::shared_ptr<DecoderImpl> decoder_of(const ModelConfig& config) {
  if (!config.is_transformer()) return std::make_shared<RecurrentDecoderImpl>(config);
  return std::make_shared<DecoderImpl>(config);
}

}  // namespace

void expect_vocabularies(const ModelConfig& config, const Vocabularies& vocabularies) {
  require(vocabularies.source >= kSpecialIds && vocabularies.target >= kSpecialIds, "vocabulary",
          "at least " + std::to_string(kSpecialIds) + " pieces: pad, unk, bos and eos",
          std::min(vocabularies.source, vocabularies.target));
  if (config.tie_embeddings == TieEmbeddings::kAll && vocabularies.source != vocabularies.target) {
    throw UsageError(
        "model.tie_embeddings: wanted decoder or none where source and target have vocabularies of their own (" +
        std::to_string(vocabularies.source) + " and " + std::to_string(vocabularies.target) + " pieces), got all");
  }
}

EncoderDecoder make_uninitialized_model(const ModelConfig& config, const Vocabularies& vocabularies) {
  config.validate();
  expect_vocabularies(config, vocabularies);
  const auto D = config.d_model;
  EncoderDecoderModules modules;
  modules.encoder = Encoder(encoder_of(config));
  modules.decoder = Decoder(decoder_of(config));
  modules.source_embedding = Embedding(vocabularies.source, D, config.embedding_scale);
  modules.target_embedding = config.tie_embeddings == TieEmbeddings::kAll
                                 ? modules.source_embedding
                                 : Embedding(vocabularies.target, D, config.embedding_scale);
  modules.source_positions = PositionalEncoding(config);
  modules.target_positions = PositionalEncoding(config);
  modules.generator = config.tie_embeddings == TieEmbeddings::kNone ? Generator(D, vocabularies.target)
                                                                    : Generator(modules.target_embedding->weight());
  if (config.embedding_norm) {
    modules.source_embedding_norm = make_norm(config);
    modules.target_embedding_norm = make_norm(config);
  }
  modules.dropout = config.dropout;
  modules.starts_from_zero = config.starts_from_zero();
  return EncoderDecoder(modules);
}

EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random) {
  auto model = make_uninitialized_model(config, vocabularies);
  initialize(*model, random);
  model->clear_unread_rows();
  return model;
}

}  // namespace gloss
