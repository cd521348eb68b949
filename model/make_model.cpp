#include "model/make_model.h"

#include <algorithm>
#include <memory>
#include <string>

#include "common/error.h"
#include "common/special_ids.h"
#include "model/alternatives/recurrent_decoder.h"
#include "model/alternatives/recurrent_encoder.h"
#include "model/alternatives/ssru.h"
#include "model/alternatives/zero_start_embedding.h"
#include "model/initialization.h"
#include "model/make_parts.h"

namespace gloss {
namespace {

std::shared_ptr<EncoderImpl> encoder_of(const ModelConfig& config) {
  if (!config.is_transformer()) return std::make_shared<RecurrentEncoderImpl>(config);
  return std::make_shared<EncoderImpl>(config);
}

std::shared_ptr<DecoderImpl> decoder_of(const ModelConfig& config) {
  if (!config.is_transformer()) return std::make_shared<RecurrentDecoderImpl>(config);
  if (!config.has_decoder_self_attention()) return std::make_shared<SsruDecoder>(config);
  return std::make_shared<DecoderImpl>(config);
}

std::shared_ptr<EmbeddingImpl> embedding_of(const ModelConfig& config, std::int64_t vocabulary, bool is_target) {
  if (is_target && config.starts_from_zero())
    return std::make_shared<ZeroStartEmbedding>(vocabulary, config.d_model, config.embedding_scale);
  return std::make_shared<EmbeddingImpl>(vocabulary, config.d_model, config.embedding_scale);
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

EncoderDecoderModules make_modules(const ModelConfig& config, const Vocabularies& vocabularies) {
  const auto D = config.d_model;
  EncoderDecoderModules modules;
  modules.encoder = Encoder(encoder_of(config));
  modules.decoder = Decoder(decoder_of(config));
  const bool is_shared = config.tie_embeddings == TieEmbeddings::kAll;
  modules.source.embedding = Embedding(embedding_of(config, vocabularies.source, /*is_target=*/is_shared));
  modules.target.embedding =
      is_shared ? modules.source.embedding : Embedding(embedding_of(config, vocabularies.target, /*is_target=*/true));
  modules.source.positions = make_positions(config);
  modules.target.positions = make_positions(config);
  modules.generator = config.tie_embeddings == TieEmbeddings::kNone ? Generator(D, vocabularies.target)
                                                                    : Generator(modules.target.embedding->weight());
  if (config.embedding_norm) {
    modules.source.norm = make_norm(config);
    modules.target.norm = make_norm(config);
  }
  modules.dropout = config.dropout;
  return modules;
}

EncoderDecoder make_uninitialized_model(const ModelConfig& config, const Vocabularies& vocabularies) {
  config.validate();
  expect_vocabularies(config, vocabularies);
  return EncoderDecoder(make_modules(config, vocabularies));
}

EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random) {
  auto model = make_uninitialized_model(config, vocabularies);
  initialize(*model, random);
  reset_zero_rows(model);
  return model;
}

void reset_zero_rows(const EncoderDecoder& model) {
  for (const auto& module : model->modules(/*include_self=*/false))
    if (const auto embedding = std::dynamic_pointer_cast<ZeroStartEmbedding>(module)) embedding->reset_zero_rows();
}

}  // namespace gloss
