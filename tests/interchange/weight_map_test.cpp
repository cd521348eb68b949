#include "interchange/weight_map.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/weights.h"

namespace gloss {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(const std::vector<ForeignName>& names) {
  std::vector<std::string> result;
  for (const auto& name : names) result.push_back(name.name + (name.transposed ? " T" : ""));
  return result;
}

ModelConfig map_config() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 4;
  config.d_ff = 6;
  config.heads = 2;
  return config;
}

TEST(WeightMapTest, MarianCountsLayersFromOneAndTransposesMatrices) {
  auto config = map_config();
  config.norm = NormPlace::kPost;
  const auto names = [&](const std::string& weight) {
    return texts_of(foreign_names(ModelFamily::kMarian, weight, config));
  };
  EXPECT_THAT(names("encoder.layers.0.self_attention.query.weight"), ElementsAre("encoder_l1_self_Wq T"));
  EXPECT_THAT(names("encoder.layers.0.self_attention.query.bias"), ElementsAre("encoder_l1_self_bq"));
  EXPECT_THAT(names("decoder.layers.10.cross_attention.output.weight"), ElementsAre("decoder_l11_context_Wo T"));
  EXPECT_THAT(names("decoder.layers.1.cross_attention_norm.bias"), ElementsAre("decoder_l2_context_Wo_ln_bias"));
  EXPECT_THAT(names("decoder.layers.1.feed_forward.outer.weight"), ElementsAre("decoder_l2_ffn_W2 T"));
  EXPECT_THAT(names("decoder.layers.1.feed_forward_norm.weight"), ElementsAre("decoder_l2_ffn_ffn_ln_scale"));
  EXPECT_THAT(names("decoder.layers.0.recurrence.value.weight"), ElementsAre("decoder_l1_rnn_W T"));
  EXPECT_THAT(names("decoder.layers.0.recurrence.gate.bias"), ElementsAre("decoder_l1_rnn_bf"));
  EXPECT_THAT(names("decoder.layers.0.recurrence_norm.weight"), ElementsAre("decoder_l1_rnn_ffn_ln_scale"));
  EXPECT_THAT(names("source_embedding_norm.bias"), ElementsAre("encoder_emb_ln_bias_pre", "encoder_emb_ln_bias"));
  EXPECT_THAT(names("generator.bias"), ElementsAre("decoder_ff_logit_out_b"));
  EXPECT_THAT(names("generator.weight"), ElementsAre("decoder_ff_logit_out_Wt", "decoder_ff_logit_out_W T"));
  EXPECT_THAT(names("source_embedding.weight"), ElementsAre("Wemb"));
  config.tie_embeddings = TieEmbeddings::kDecoder;
  EXPECT_THAT(names("source_embedding.weight"), ElementsAre("encoder_Wemb", "Wemb"));
  config.positions = Positions::kLearned;
  EXPECT_THAT(names("target_positions.weight"), ElementsAre("Wpos"));
  EXPECT_THAT(names("encoder.relative_positions.weight"), ElementsAre());
}

TEST(WeightMapTest, NormsBeforeALayerHaveASuffixInMarian) {
  const auto config = map_config();
  const auto names = [&](const std::string& weight) {
    return texts_of(foreign_names(ModelFamily::kMarian, weight, config));
  };
  EXPECT_THAT(names("encoder.layers.1.self_attention_norm.weight"), ElementsAre("encoder_l2_self_Wo_ln_scale_pre"));
  EXPECT_THAT(names("decoder.layers.0.recurrence_norm.bias"), ElementsAre("decoder_l1_rnn_ln_bias_pre"));
  EXPECT_THAT(names("encoder.norm.weight"), ElementsAre("encoder_top_ln_scale", "encoder_top_ln_scale_pre"));
}

TEST(WeightMapTest, HuggingFaceHasOneNameForAllButTheEmbeddings) {
  auto config = map_config();
  const auto names = [&](const std::string& weight) {
    return texts_of(foreign_names(ModelFamily::kHuggingFace, weight, config));
  };
  EXPECT_THAT(names("encoder.layers.0.self_attention.output.weight"),
              ElementsAre("model.encoder.layers.0.self_attn.out_proj.weight"));
  EXPECT_THAT(names("decoder.layers.1.cross_attention_norm.bias"),
              ElementsAre("model.decoder.layers.1.encoder_attn_layer_norm.bias"));
  EXPECT_THAT(names("decoder.layers.1.feed_forward_norm.bias"),
              ElementsAre("model.decoder.layers.1.final_layer_norm.bias"));
  EXPECT_THAT(names("encoder.norm.weight"), ElementsAre("model.encoder.layer_norm.weight"));
  EXPECT_THAT(names("generator.bias"), ElementsAre("final_logits_bias"));
  EXPECT_THAT(names("decoder.layers.0.recurrence.gate.bias"), ElementsAre());
  config.tie_embeddings = TieEmbeddings::kDecoder;
  EXPECT_THAT(names("target_embedding.weight"), ElementsAre("model.decoder.embed_tokens.weight", "lm_head.weight"));
}

TEST(WeightMapTest, SinesAndCosinesAlternate) {
  const auto halves = at::tensor({0.F, 1.F, 2.F, 10.F, 11.F, 12.F});
  EXPECT_TRUE(at::equal(alternate_channels(halves, 0), at::tensor({0.F, 10.F, 1.F, 11.F, 2.F, 12.F})));
  EXPECT_TRUE(at::equal(separate_channels(alternate_channels(halves, 0), 0), halves));
}

TEST(WeightMapTest, SpecialPiecesMoveToTheFront) {
  EXPECT_THAT(piece_rows(6, kMarianSpecials).rows, ElementsAre(-1, 1, -1, 0, 2, 3, 4, 5));
  EXPECT_THAT(piece_rows(6, {.pad = 1, .unk = 3, .bos = 0, .eos = 2}).rows, ElementsAre(1, 3, 0, 2, 4, 5));
  EXPECT_THAT(piece_rows(6, {.pad = 5, .unk = 1, .eos = 0}).rows, ElementsAre(5, 1, -1, 0, 2, 3, 4));
}

TEST(WeightMapTest, PiecesWithoutARowAreSilent) {
  const WeightMap map(ModelFamily::kMarian, map_config(), piece_rows(3, kMarianSpecials),
                      piece_rows(3, kMarianSpecials));
  EXPECT_EQ(map.vocabularies().target, 5);
  const auto bias =
      map.to_gloss("generator.bias", {"decoder_ff_logit_out_b"}, at::tensor({7.F, 8.F, 9.F}).view({1, 3}));
  EXPECT_TRUE(at::equal(bias, at::tensor({-100.F, 8.F, -100.F, 7.F, 9.F})));
  const auto embedding = map.to_gloss("source_embedding.weight", {"Wemb"}, at::arange(1, 13, at::kFloat).view({3, 4}));
  EXPECT_TRUE(at::equal(embedding[0], at::zeros({4})));
  EXPECT_TRUE(at::equal(embedding[2], at::zeros({4})));
  EXPECT_TRUE(at::equal(embedding[4], at::tensor({9.F, 11.F, 10.F, 12.F})));
}

// Large embeddings are converted in parts.
TEST(WeightMapTest, RowsAreThoseOfTheWhole) {
  ModelConfig config;
  config.d_model = 8;
  const auto rows = piece_rows(30, kMarianSpecials);
  const WeightMap map(ModelFamily::kMarian, config, rows, rows);
  const auto values = at::arange(240, at::kFloat).view({30, 8});
  const auto whole = map.to_gloss("source_embedding.weight", {"Wemb"}, values);
  ASSERT_EQ(whole.size(0), 32);
  for (const std::int64_t first : {0, 4, 13})
    EXPECT_TRUE(map.to_gloss("source_embedding.weight", {"Wemb"}, values, RowRange{first, 11})
                    .equal(whole.narrow(0, first, 11)));
  const auto output = map.to_gloss("generator.weight", {"W", true}, values.t(), RowRange{2, 30});
  EXPECT_TRUE(output.equal(whole.narrow(0, 2, 30)));
}

TEST(WeightMapTest, BothDirectionsAreInverse) {
  const PieceRows rows = piece_rows(7, {.pad = 6, .unk = 1, .bos = 3, .eos = 0});
  for (const auto family : {ModelFamily::kMarian, ModelFamily::kHuggingFace})
    for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kNone})
      for (const auto positions : {Positions::kSinusoidal, Positions::kLearned}) {
        auto config = map_config();
        config.tie_embeddings = tie;
        config.positions = positions;
        config.max_positions = 5;
        if (family == ModelFamily::kHuggingFace && positions == Positions::kLearned) continue;
        if (family == ModelFamily::kMarian) config.embedding_norm = true;
        const WeightMap map(family, config, rows, rows);
        for (const auto& [weight, info] : network_weights(config, map.vocabularies())) {
          for (const auto& name : map.names(weight)) {
            const auto values = at::rand(info.shape);
            const auto foreign = map.to_foreign(weight, name, values);
            EXPECT_EQ(foreign.sizes().vec(), map.foreign_shape(weight, name, info.shape)) << weight;
            EXPECT_TRUE(foreign.is_contiguous());
            EXPECT_TRUE(at::equal(map.to_gloss(weight, name, foreign), values)) << weight << " as " << name.name;
          }
          EXPECT_EQ(map.names(weight).empty(), false) << weight;
        }
      }
}

TEST(WeightMapTest, AnotherShapeIsAFault) {
  const WeightMap map(ModelFamily::kMarian, map_config(), piece_rows(3, kMarianSpecials),
                      piece_rows(3, kMarianSpecials));
  const std::string query = "encoder.layers.0.self_attention.query.weight", bias = "generator.bias";
  EXPECT_THROW(map.to_gloss(query, {"q", true}, at::zeros({1, 4, 4})), ShapeError);
  EXPECT_THROW(map.to_gloss(query, {"q", true}, at::zeros({16})), ShapeError);
  EXPECT_THROW(map.to_gloss(bias, {"b"}, at::zeros({3, 1})), ShapeError);
  EXPECT_THROW(map.to_gloss(bias, {"b"}, at::zeros({1, 1, 3})), ShapeError);
  EXPECT_THROW(map.to_gloss(bias, {"b"}, at::scalar_tensor(1)), ShapeError);
}

TEST(WeightMapTest, AnotherNumberOfRowsIsAFault) {
  const WeightMap map(ModelFamily::kMarian, map_config(), piece_rows(3, kMarianSpecials),
                      piece_rows(3, kMarianSpecials));
  EXPECT_THROW(map.to_gloss("source_embedding.weight", {"Wemb"}, at::zeros({4, 4})), ShapeError);
  EXPECT_THROW(map.to_gloss("source_embedding.weight", {"Wemb"}, at::zeros({3})), ShapeError);
}

TEST(WeightMapTest, PartsOfAMatrixOfCtranslate2AreItsRowsFromTheTopOn) {
  const auto config = map_config();
  const WeightMap map(ModelFamily::kCtranslate2, config, {}, {}, /*reorders_channels=*/false);
  const std::string prefix = "decoder.layers.1.";
  std::int64_t part = 0;
  const auto fused = at::arange(12 * 4, at::kFloat).view({12, 4});
  for (const auto* name : {"query", "key", "value"}) {
    const auto weight = prefix + "self_attention." + name + ".weight";
    const auto place = map.names(weight).front();
    EXPECT_EQ(place, (ForeignName{"decoder/layer_1/self_attention/linear_0/weight", false, part, 3}));
    EXPECT_EQ(map.foreign_shape(weight, place, {4, 4}), (std::vector<std::int64_t>{12, 4}));
    EXPECT_TRUE(at::equal(map.to_gloss(weight, place, fused), fused.narrow(0, 4 * part, 4)));
    ++part;
  }
}

}  // namespace
}  // namespace gloss
