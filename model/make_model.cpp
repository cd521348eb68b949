#include "model/make_model.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/special_ids.h"
#include "model/initialization.h"

namespace gloss {

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

EncoderDecoder build_model(const ModelConfig& config, const Vocabularies& vocabularies) {
  config.validate();
  expect_vocabularies(config, vocabularies);
  const auto D = config.d_model;
  const auto positions = [&] {
    return config.positions == Positions::kLearned ? PositionalEncoding(D, config.max_positions)
                                                   : PositionalEncoding(D);
  };
  EncoderDecoderParts parts;
  parts.encoder = Encoder(config);
  parts.decoder = Decoder(config);
  parts.source_embedding = Embedding(vocabularies.source, D);
  parts.target_embedding =
      config.tie_embeddings == TieEmbeddings::kAll ? parts.source_embedding : Embedding(vocabularies.target, D);
  parts.source_positions = positions();
  parts.target_positions = positions();
  parts.generator = config.tie_embeddings == TieEmbeddings::kNone ? Generator(D, vocabularies.target)
                                                                  : Generator(parts.target_embedding->weight());
  parts.dropout = config.dropout;
  return EncoderDecoder(parts);
}

EncoderDecoder make_model(const ModelConfig& config, const Vocabularies& vocabularies, const RandomStream& random) {
  auto model = build_model(config, vocabularies);
  initialize(*model, random);
  return model;
}

}  // namespace gloss
