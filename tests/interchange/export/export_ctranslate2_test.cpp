#include <limits>

#include <ATen/ops/cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interchange/export/export_checks.h"
#include "model/make_model.h"
#include "model/storage/stored_weights.h"
#include "model/weights.h"
#include "tests/interchange/export/ctranslate2_reader.h"
#include "tests/interchange/export/exported_model.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto kCtranslate2 = ExportFormat::kCtranslate2;

std::vector<float> values_of(const at::Tensor& tensor) {
  const auto flat = tensor.contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

std::vector<int> integers_of(const at::Tensor& tensor) {
  const auto flat = tensor.to(at::kInt).contiguous();
  return {flat.const_data_ptr<int>(), flat.const_data_ptr<int>() + flat.numel()};
}

ReadModel exported(const ExportedModel& model, WeightPrecision precision = WeightPrecision::kFloat32) {
  model.write(kCtranslate2, precision);
  return read_ctranslate2_model(model.text("model.bin"));
}

TEST(ExportCtranslate2Test, WeightsKeepTheirValues) {
  const ExportedModel model;
  const auto read = exported(model);
  EXPECT_EQ(read.version, 6u);
  EXPECT_EQ(read.revision, 7u);
  EXPECT_EQ(read.spec, "TransformerSpec");
  const std::string layer = "decoder.layers.0.", name = "decoder/layer_0/";
  const auto expect = [&](const std::string& variable, std::initializer_list<std::string> weights) {
    std::vector<at::Tensor> parts;
    for (const auto& weight : weights) parts.push_back(model.weight(weight));
    const auto expected = at::cat(parts);
    ASSERT_TRUE(read.variables.contains(variable)) << variable;
    const auto& found = read.variables.at(variable);
    EXPECT_EQ(found.floats(), values_of(expected)) << variable;
    ASSERT_EQ(static_cast<std::int64_t>(found.shape.size()), expected.dim());
    for (std::size_t i = 0; i < found.shape.size(); ++i)
      EXPECT_EQ(found.shape[i], expected.size(static_cast<std::int64_t>(i))) << variable;
  };
  const auto own = layer + "self_attention.", cross = layer + "cross_attention.";
  expect(name + "self_attention/linear_0/weight", {own + "query.weight", own + "key.weight", own + "value.weight"});
  expect(name + "self_attention/linear_0/bias", {own + "query.bias", own + "key.bias", own + "value.bias"});
  expect(name + "self_attention/linear_1/weight", {own + "output.weight"});
  expect(name + "self_attention/layer_norm/gamma", {layer + "self_attention_norm.weight"});
  expect(name + "attention/linear_0/weight", {cross + "query.weight"});
  expect(name + "attention/linear_1/weight", {cross + "key.weight", cross + "value.weight"});
  expect(name + "attention/linear_2/bias", {cross + "output.bias"});
  expect(name + "attention/layer_norm/beta", {layer + "cross_attention_norm.bias"});
  expect(name + "ffn/linear_0/weight", {layer + "feed_forward.inner.weight"});
  expect(name + "ffn/linear_1/bias", {layer + "feed_forward.outer.bias"});
  expect(name + "ffn/layer_norm/gamma", {layer + "feed_forward_norm.weight"});
  expect("encoder/layer_0/self_attention/linear_0/bias",
         {"encoder.layers.0.self_attention.query.bias", "encoder.layers.0.self_attention.key.bias",
          "encoder.layers.0.self_attention.value.bias"});
  expect("encoder/layer_norm/gamma", {"encoder.norm.weight"});
  expect("decoder/layer_norm/beta", {"decoder.norm.bias"});
  expect("decoder/embeddings/weight", {"source_embedding.weight"});
  expect("decoder/projection/bias", {"generator.bias"});
}

TEST(ExportCtranslate2Test, SwitchesAndAliasesFollowTheConfiguration) {
  const auto pre = exported(ExportedModel());
  EXPECT_EQ(pre.scalar("encoder/pre_norm"), 1);
  EXPECT_EQ(pre.scalar("decoder/num_heads"), 2);
  EXPECT_EQ(pre.scalar("encoder/activation"), 0);
  EXPECT_EQ(pre.scalar("decoder/scale_embeddings"), 1);
  EXPECT_EQ(pre.scalar("decoder/start_from_zero_embedding"), 0);
  EXPECT_EQ(pre.scalar("decoder/alignment_heads"), 0);
  EXPECT_THAT(pre.aliases,
              testing::UnorderedElementsAre(
                  testing::Pair("encoder/embeddings_0/weight", "decoder/embeddings/weight"),
                  testing::Pair("decoder/projection/weight", "decoder/embeddings/weight"),
                  testing::Pair("decoder/position_encodings/encodings", "encoder/position_encodings/encodings")));
  const auto post = exported(ExportedModel([](SmallJob& job) {
    job.config.model.norm = NormPlace::kPost;
    job.config.model.activation = Activation::kGeluSigmoid;
    job.config.model.embedding_scale = EmbeddingScale::kOne;
    job.config.model.tie_embeddings = TieEmbeddings::kDecoder;
    job.config.model.embedding_norm = true;
    use_marian_formulas(job.config.model), job.config.model.self_attention_norm = SelfAttentionNorm::kAll;
  }));
  EXPECT_EQ(post.scalar("encoder/pre_norm"), 0);
  EXPECT_EQ(post.scalar("decoder/activation"), 4);
  EXPECT_EQ(post.scalar("encoder/scale_embeddings"), 0);
  EXPECT_EQ(post.scalar("decoder/start_from_zero_embedding"), 1);
  EXPECT_FALSE(post.variables.contains("encoder/layer_norm/gamma"));
  EXPECT_TRUE(post.variables.contains("encoder/layernorm_embedding/gamma"));
  EXPECT_TRUE(post.variables.contains("encoder/embeddings_0/weight"));
  EXPECT_FALSE(post.aliases.contains("encoder/embeddings_0/weight"));
  EXPECT_TRUE(post.aliases.contains("decoder/projection/weight"));
}

TEST(ExportCtranslate2Test, PositionsAreWrittenAsGlossComputesThem) {
  const ExportedModel plain;
  auto read = exported(plain);
  const auto& table = read.variables.at("encoder/position_encodings/encodings");
  EXPECT_THAT(table.shape, testing::ElementsAre(2048, 8));
  EXPECT_EQ(table.floats(), values_of(make_positions(plain.model().config.model)->forward(0, 2048, at::kCPU)));

  const ExportedModel marian([](SmallJob& job) {
    use_marian_formulas(job.config.model), job.config.model.self_attention_norm = SelfAttentionNorm::kAll;
    job.config.model.first_position = 2;
    job.config.data.max_length = 3000;
  });
  read = exported(marian);
  EXPECT_EQ(read.variables.at("encoder/position_encodings/encodings").shape.at(0), 3000u);
  EXPECT_EQ(read.variables.at("encoder/position_encodings/encodings").floats(),
            values_of(make_positions(marian.model().config.model)->forward(0, 3000, at::kCPU)));

  const ExportedModel learned([](SmallJob& job) { job.config.model.positions = Positions::kLearned; });
  read = exported(learned);
  EXPECT_EQ(read.variables.at("encoder/position_encodings/encodings").floats(),
            values_of(learned.weight("source_positions.weight")));
  EXPECT_EQ(read.variables.at("decoder/position_encodings/encodings").floats(),
            values_of(learned.weight("target_positions.weight")));
}

TEST(ExportCtranslate2Test, AGateIsTheActivatedMatrix) {
  const ExportedModel model([](SmallJob& job) { job.config.model.activation = Activation::kSwiglu; });
  const auto read = exported(model);
  EXPECT_EQ(read.scalar("encoder/activation"), 2);
  EXPECT_EQ(read.variables.at("encoder/layer_0/ffn/linear_0/weight").floats(),
            values_of(model.weight("encoder.layers.0.feed_forward.gate.weight")));
  EXPECT_EQ(read.variables.at("encoder/layer_0/ffn/linear_0_noact/weight").floats(),
            values_of(model.weight("encoder.layers.0.feed_forward.inner.weight")));
}

TEST(ExportCtranslate2Test, RmsNormsHaveNoShift) {
  const ExportedModel model([](SmallJob& job) { job.config.model.norm_type = NormType::kRms; });
  const auto read = exported(model);
  EXPECT_TRUE(read.variables.contains("encoder/layer_norm/gamma"));
  EXPECT_FALSE(read.variables.contains("encoder/layer_norm/beta"));
  EXPECT_EQ(model.json("config.json").at("layer_norm_epsilon"), 1e-5);
}

TEST(ExportCtranslate2Test, Int8ValuesAreGlossesAndScalesAreReciprocal) {
  const ExportedModel model;
  const auto read = exported(model, WeightPrecision::kInt8);
  const auto expected = to_int8(model.weight("encoder.layers.0.feed_forward.inner.weight"));
  const auto& values = read.variables.at("encoder/layer_0/ffn/linear_0/weight");
  const auto divisors = read.variables.at("encoder/layer_0/ffn/linear_0/weight_scale").floats();
  EXPECT_EQ(values.type, 1);
  ASSERT_EQ(divisors.size(), values.shape.at(0));
  const auto integers = values.integers();
  const auto width = values.shape.at(1);
  for (std::size_t row = 0; row < divisors.size(); ++row) {
    EXPECT_FLOAT_EQ(divisors[row] * expected.scales[static_cast<std::int64_t>(row)].item<float>(), 1);
    for (std::size_t column = 0; column < width; ++column)
      EXPECT_EQ(integers[row * width + column],
                expected.values[static_cast<std::int64_t>(row)][static_cast<std::int64_t>(column)].item<int>());
  }
  EXPECT_EQ(read.variables.at("decoder/embeddings/weight").type, 1);
  EXPECT_TRUE(read.variables.contains("decoder/embeddings/weight_scale"));
  EXPECT_EQ(read.variables.at("decoder/projection/bias").type, 0);
  EXPECT_EQ(read.variables.at("encoder/position_encodings/encodings").type, 0);
}

// Pad is a row of zeros where the decoder starts from zero.
TEST(ExportCtranslate2Test, ARowOfZerosHasScaleOne) {
  const ExportedModel model([](SmallJob& job) {
    use_marian_formulas(job.config.model), job.config.model.self_attention_norm = SelfAttentionNorm::kAll;
  });
  const auto read = exported(model, WeightPrecision::kInt8);
  EXPECT_EQ(read.variables.at("decoder/embeddings/weight_scale").floats().at(kPad), 1);
  EXPECT_EQ(read.variables.at("decoder/embeddings/weight").integers().at(0), 0);
}

// CTranslate2 computes value * (1 / divisor).
TEST(ExportCtranslate2Test, Int8MatricesOfTheModelAreNotQuantizedAgain) {
  const ExportedModel model;
  model.store_coarse_int8();
  const auto read = exported(model, WeightPrecision::kInt8);
  const auto weights = model.model().file.model.weights;
  std::vector<at::Tensor> values, scales;
  for (const auto* part : {"query", "key", "value"}) {
    const auto weight = weights("decoder.layers.0.self_attention." + std::string(part) + ".weight");
    weight.values[1].zero_();  // its scale is 0
    values.push_back(weight.values);
    scales.push_back(weight.scales);
  }
  const auto wanted = at::cat(values), steps = at::cat(scales);
  ASSERT_LT(wanted.abs().max().item<int>(), 127);
  ASSERT_GT(wanted.abs().max().item<int>(), 0);
  const auto found = read.variables.at("decoder/layer_0/self_attention/linear_0/weight").integers();
  EXPECT_EQ(found, integers_of(wanted));
  const auto divisors = read.variables.at("decoder/layer_0/self_attention/linear_0/weight_scale").floats();
  ASSERT_EQ(std::ssize(divisors), steps.size(0));
  for (std::int64_t row = 0; row < std::ssize(divisors); ++row) {
    const auto step = steps[row].item<float>(), factor = 1 / divisors[static_cast<std::size_t>(row)];
    if (step == 0)
      EXPECT_EQ(factor, 1);
    else if (row % 2 == 0)
      EXPECT_EQ(factor, step);  // a power of two
    else
      EXPECT_NEAR(factor, step, step * std::numeric_limits<float>::epsilon());
  }
}

TEST(ExportCtranslate2Test, Bfloat16RoundsMatricesOnly) {
  const ExportedModel model;
  const auto read = exported(model, WeightPrecision::kBfloat16);
  const auto matrix = model.weight("encoder.layers.0.feed_forward.inner.weight");
  EXPECT_EQ(read.variables.at("encoder/layer_0/ffn/linear_0/weight").bfloats(),
            values_of(matrix.to(at::kBFloat16).to(at::kFloat)));
  EXPECT_EQ(read.variables.at("encoder/layer_0/ffn/linear_0/bias").type, 0);
}

TEST(ExportCtranslate2Test, VocabulariesAndConfigurationFitTheTokenizers) {
  const ExportedModel joint;
  joint.write(kCtranslate2);
  const auto pieces = joint.json("shared_vocabulary.json");
  const auto model = joint.model();
  ASSERT_EQ(static_cast<std::int64_t>(pieces.size()), model.source_tokenizer->vocabulary_size());
  for (Id id = 0; id < model.source_tokenizer->vocabulary_size(); ++id)
    EXPECT_EQ(pieces.at(static_cast<std::size_t>(id)), model.source_tokenizer->piece(id));
  auto config = joint.json("config.json");
  EXPECT_THAT(config.at("exported_by").get<std::string>(), testing::StartsWith("gloss "));
  config.erase("exported_by");
  EXPECT_EQ(config, parse_json(R"({"add_source_bos": false, "add_source_eos": true,
      "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "decoder_start_token": "<s>",
      "layer_norm_epsilon": null, "multi_query_attention": false})"));
  EXPECT_EQ(joint.text("tokenizer.model"), model.source_tokenizer->serialized());

  const ExportedModel two([](SmallJob& job) { job.use_two_tokenizers(TieEmbeddings::kNone); });
  const auto read = exported(two);
  EXPECT_THAT(read.aliases, testing::SizeIs(1));  // the positions
  EXPECT_EQ(read.variables.at("decoder/projection/weight").floats(), values_of(two.weight("generator.weight")));
  EXPECT_NE(two.json("source_vocabulary.json"), two.json("target_vocabulary.json"));
  EXPECT_EQ(two.text("target_tokenizer.model"), two.model().target_tokenizer->serialized());
  EXPECT_FALSE(std::filesystem::exists(two.output() / "shared_vocabulary.json"));
}

TEST(ExportCtranslate2Test, AllReasonsForARefusalAreInOneMessage) {
  const ExportedModel model([](SmallJob& job) {
    job.config.model.residual = false;
    job.config.model.encoder_mask = EncoderMask::kCausal;
    job.config.model.attention_score = AttentionScore::kCosine;
    job.config.model.positions = Positions::kRotary;
    job.config.model.norm_type = NormType::kBatch;
  });
  EXPECT_THAT(refusal(model, kCtranslate2),
              AllOf(HasSubstr("--to ctranslate2: the format cannot express this model: "),
                    HasSubstr("model.residual: wanted true, got false; "),
                    HasSubstr("model.encoder_mask: wanted full, got causal"),
                    HasSubstr("model.attention_score: wanted scaled_dot, got cosine"),
                    HasSubstr("model.positions: wanted one of sinusoidal, learned, none, got rotary"),
                    HasSubstr("model.norm_type: wanted one of layer, rms, got batch")));
  EXPECT_FALSE(std::filesystem::exists(model.output()));
}

TEST(ExportCtranslate2Test, RecurrentNetworksAreRefused) {
  const ExportedModel gru([](SmallJob& job) { job.config.model.architecture = Architecture::kRecurrent; });
  EXPECT_THAT(refusal(gru, kCtranslate2), HasSubstr("model.architecture: wanted transformer, got recurrent"));
  const ExportedModel ssru([](SmallJob& job) { job.config.model.decoder_layer = DecoderLayerType::kSsru; });
  EXPECT_THAT(refusal(ssru, kCtranslate2), HasSubstr("model.decoder_layer: wanted attention, got ssru"));
}

// A network with an alternative is either refused, or every weight of it is in the file.
TEST(ExportCtranslate2Test, NoAlternativeIsWrittenWithoutSomeOfItsWeights) {
  for (const auto& config : all_networks()) {
    const ExportedModel model([&](SmallJob& job) {
      job.config.model = config;
      job.config.data.max_length = config.max_positions;
    });
    if (!refusal(model, kCtranslate2).empty()) continue;
    const auto read = read_ctranslate2_model(model.text("model.bin"));
    std::int64_t stored = 0, wanted = 0;
    for (const auto& [name, variable] : read.variables)
      if (variable.type == 0) stored += static_cast<std::int64_t>(variable.floats().size());
    if (config.positions != Positions::kLearned) stored -= 2048 * config.d_model;
    const auto file = model.model().file;
    for (const auto& [name, info] : network_weights(config, file.vocabularies)) {
      std::int64_t size = 1;
      for (const auto dimension : info.shape) size *= dimension;
      wanted += size;
    }
    EXPECT_EQ(stored, wanted) << describe(config);
  }
}

TEST(ExportCtranslate2Test, ReadmeHasTheSearchOfTheRunFile) {
  const ExportedModel model([](SmallJob& job) {
    job.config.decoding.beam_size = 4;
    job.config.decoding.length_penalty = 0.6;
    job.config.decoding.max_length = 99;
    job.config.decoding.min_length = 2;
    job.config.decoding.no_unk = true;
    job.config.decoding.patience = 2;
    job.config.decoding.repetition_penalty = 1.5;
    job.config.decoding.no_repeat_ngram = 3;
    job.config.decoding.coverage_penalty = 0.25;
  });
  model.write(kCtranslate2, WeightPrecision::kInt8);
  const auto readme = model.text("README.md");
  for (const auto* argument :
       {"beam_size=4", "length_penalty=0.6", "max_decoding_length=99", "min_decoding_length=2", "disable_unk=True",
        "patience=2", "repetition_penalty=1.5", "no_repeat_ngram_size=3", "coverage_penalty=0.25", "max_batch_size=1,",
        "[:63]", "max_input_length=0", R"(newline="\n")", R"(.replace("\u2581", "_"))",
        "gloss convert --precision int8", "model_file=\"tokenizer.model\""})
    EXPECT_THAT(readme, HasSubstr(argument));
  EXPECT_THAT(readme, Not(HasSubstr("gnmt")));
  const ExportedModel learned([](SmallJob& job) {
    job.config.model.positions = Positions::kLearned;
    job.config.model.max_positions = job.config.data.max_length = 5;
  });
  learned.write(kCtranslate2);  // beyond its last position CTranslate2 fails
  EXPECT_THAT(learned.text("README.md"), AllOf(HasSubstr("max_decoding_length=5,"), HasSubstr("[:4]")));
  const ExportedModel gnmt([](SmallJob& job) { job.config.decoding.length_penalty_kind = LengthPenaltyKind::kGnmt; });
  gnmt.write(kCtranslate2);
  EXPECT_THAT(gnmt.text("README.md"), AllOf(HasSubstr("def gnmt"), HasSubstr("num_hypotheses=2")));
  const ExportedModel marians([](SmallJob& job) {
    job.config.decoding.shrinking_beam = true;
    job.config.decoding.max_length_factor = 2;
  });
  marians.write(kCtranslate2);
  EXPECT_THAT(marians.text("README.md"), HasSubstr("float32 --no-shrinking-beam --max-length-factor 0` prints"));
}

TEST(ExportCtranslate2Test, TheProgramOfTheReadmePrintsTheBestHypotheses) {
  const auto input = "a b\n\n\u2581c\rd\r\n";
  const ExportedModel plain([](SmallJob& job) { job.config.decoding.beam_size = 2; });
  plain.write(kCtranslate2);
  EXPECT_EQ(run_readme(plain, input), "a b\n\n_c\rd\n");
  const ExportedModel gnmt([](SmallJob& job) {
    job.use_two_tokenizers(TieEmbeddings::kNone);
    job.config.decoding.length_penalty_kind = LengthPenaltyKind::kGnmt;
  });
  gnmt.write(kCtranslate2);
  EXPECT_EQ(run_readme(gnmt, input), "a\n\n_\n");  // the stand-in's second hypothesis
}

}  // namespace
}  // namespace gloss
