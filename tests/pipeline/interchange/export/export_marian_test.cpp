#include "pipeline/interchange/export/export_marian.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/weights.h"
#include "pipeline/interchange/formats/marian_options.h"
#include "pipeline/interchange/formats/npz_file.h"
#include "pipeline/interchange/formats/vocabulary_file.h"
#include "pipeline/interchange/import/import_model.h"
#include "pipeline/interchange/weight_map.h"
#include "tests/pipeline/interchange/export/exported_model.h"
#include "tokenizer/sentencepiece_writer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kMarian = ExportFormat::kMarian;

class ExportMarianTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      const ExportedModel model([](SmallJob& job) { use_marian_formulas(job.config.model); });
      model.write(kMarian);
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();  // built without libzip
    }
  }
};

at::Tensor tensor_of(const ForeignTensors& file, const std::string& name) {
  const auto stored = file.tensor(name);
  auto values = at::empty(stored.shape, at::kFloat);
  std::memcpy(values.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
  return values;
}

TEST_F(ExportMarianTest, EveryWeightComesBackBitByBit) {
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
      const ExportedModel exported([&](SmallJob& job) {
        if (tie != TieEmbeddings::kAll) job.use_two_tokenizers(tie);
        job.config.model.norm = norm;
        if (tie == TieEmbeddings::kDecoder) job.config.model.decoder_layer = DecoderLayerType::kSsru;
        use_marian_formulas(job.config.model);
      });
      exported.write(kMarian);
      const auto model = exported.model();
      const auto& [source, target] = model.file.vocabularies;
      const auto file = open_npz(exported.output() / "model.npz");
      const WeightMap map(ModelFamily::kMarian, model.config.model, piece_rows(source - 2, kMarianSpecials),
                          piece_rows(target - 2, kMarianSpecials));
      const auto weights = network_weights(model.config.model, model.file.vocabularies);
      const auto has_pieces = [](const auto& item) { return piece_axis(item.first).has_value(); };
      EXPECT_EQ(file->names().size(), weights.size() + std::ranges::count_if(weights, has_pieces) + 1);
      for (const auto& [name, info] : weights) {
        const auto foreign = map.names(name).front();
        ASSERT_TRUE(file->has(foreign.name)) << foreign.name;
        const auto back = map.to_gloss(name, foreign, tensor_of(*file, foreign.name));
        auto expected = exported.weight(name);
        if (name == "generator.bias")
          for (const auto id : {kPad, kBos}) expected[id] = PieceRows::kNoRowBias;
        if (piece_axis(name) && expected.dim() == 2)
          for (const auto id : {kPad, kBos}) expected[id].zero_();
        EXPECT_TRUE(back.equal(expected)) << name;
      }
      const auto again = exported.output().parent_path() / "again.safetensors";
      import_model({.path = exported.output()}, WeightPrecision::kFloat32, again);
      const auto imported = load_translation_model(again, at::kCPU);
      for (const auto& [name, info] : weights)
        EXPECT_TRUE(imported.file.model.weights(name).to_float().equal(exported.weight(name))) << name;
      std::filesystem::remove(again);
    }
  }
}

TEST_F(ExportMarianTest, TheModelHoldsItsOptions) {
  const ExportedModel exported([](SmallJob& job) {
    use_marian_formulas(job.config.model);
    job.config.model.d_ff_decoder = 24;
  });
  exported.write(kMarian);
  const auto file = open_npz(exported.output() / "model.npz");
  const auto options = MarianOptions::of_model(*file);
  const auto pieces = exported.model().file.vocabularies.source - 2;
  EXPECT_EQ(options.text("type"), "transformer");
  EXPECT_EQ(options.integers("dim-vocabs"), (std::vector{pieces, pieces}));
  EXPECT_EQ(options.integer("dim-emb"), 8);
  EXPECT_EQ(options.integer("transformer-heads"), 2);
  EXPECT_EQ(options.integer("transformer-dim-ffn"), 16);
  EXPECT_EQ(options.integer("transformer-decoder-dim-ffn"), 24);
  EXPECT_EQ(options.text("transformer-preprocess"), "n");
  EXPECT_EQ(options.text("transformer-postprocess"), "da");
  EXPECT_EQ(options.text("transformer-postprocess-top"), "n");
  EXPECT_EQ(options.text("transformer-ffn-activation"), "relu");
  EXPECT_TRUE(options.flag("tied-embeddings-all"));
}

TEST_F(ExportMarianTest, IdsAreMarians) {
  const ExportedModel exported([](SmallJob& job) { use_marian_formulas(job.config.model); });
  exported.write(kMarian);
  const auto vocabulary = read_vocabulary(exported.output() / "vocab.yml");
  const auto model = exported.model();
  ASSERT_EQ(vocabulary.size(), model.source_tokenizer->vocabulary_size() - 2);
  EXPECT_EQ(vocabulary.pieces.at(0), "</s>");
  EXPECT_EQ(vocabulary.pieces.at(1), "<unk>");
  for (std::int64_t id = 2; id < vocabulary.size(); ++id)
    EXPECT_EQ(vocabulary.pieces.at(static_cast<std::size_t>(id)),
              model.source_tokenizer->piece(static_cast<Id>(id + 2)));
}

TEST_F(ExportMarianTest, DecoderHasTheSearchOfTheRunFile) {
  const ExportedModel exported([](SmallJob& job) {
    job.use_two_tokenizers(TieEmbeddings::kDecoder);
    use_marian_formulas(job.config.model);
    job.config.decoding.length_penalty = 0.6;
  });
  exported.write(kMarian);
  const auto options = MarianOptions::read(exported.output() / "decoder.yml");
  EXPECT_THAT(options.texts("models"), testing::ElementsAre("model.npz"));
  EXPECT_THAT(options.texts("vocabs"), testing::ElementsAre("source_vocab.yml", "target_vocab.yml"));
  EXPECT_EQ(options.integer("beam-size"), 2);
  EXPECT_EQ(options.number("normalize"), 0.6);
  EXPECT_TRUE(options.flag("allow-unk"));
  EXPECT_EQ(options.number("word-penalty"), 0);
  EXPECT_EQ(options.integer("max-length"), 64);
  EXPECT_TRUE(options.flag("max-length-crop"));
  EXPECT_EQ(options.integer("max-length-factor"), kMarianLengthFactor);
  EXPECT_EQ(exported.text("target_tokenizer.model"), exported.model().target_tokenizer->serialized());
  EXPECT_THAT(exported.text("README.md"), AllOf(HasSubstr("spm_encode --model=source_tokenizer.model"),
                                                HasSubstr("marian-decoder --config decoder.yml")));
}

TEST(ExportMarianRefusalTest, AModelOfGlossesDefaultsIsRefusedWithAllReasons) {
  const ExportedModel model;
  EXPECT_THAT(refusal(model, kMarian, WeightPrecision::kInt8),
              AllOf(HasSubstr("--to marian: the format cannot express this model: "),
                    HasSubstr("model.position_frequencies: wanted tensor2tensor, got paper"),
                    HasSubstr("model.decoder_start: wanted zero, got bos"),
                    HasSubstr("model.layer_norm_epsilon: wanted 1e-06, got 1e-05"),
                    HasSubstr("--precision: wanted float32, got int8")));
  EXPECT_FALSE(std::filesystem::exists(model.output()));
}

TEST_F(ExportMarianTest, ActivationsHaveMariansNames) {
  for (const auto& [activation, name] :
       {std::pair(Activation::kRelu, "relu"), {Activation::kSwish, "swish"}, {Activation::kGeluSigmoid, "gelu"}}) {
    const ExportedModel model([activation = activation](SmallJob& job) {
      use_marian_formulas(job.config.model);
      job.config.model.activation = activation;
    });
    model.write(kMarian);
    const auto file = open_npz(model.output() / "model.npz");
    EXPECT_EQ(MarianOptions::of_model(*file).text("transformer-ffn-activation"), name);
  }
}

TEST(ExportMarianRefusalTest, AWidthOfTwoIsRefused) {
  const ExportedModel model([](SmallJob& job) {
    use_marian_formulas(job.config.model);
    job.config.model.d_model = 2;
    job.config.model.heads = 1;
  });
  EXPECT_THAT(refusal(model, kMarian), HasSubstr("model.d_model: wanted at least 4, got 2"));
}

TEST(ExportMarianRefusalTest, ActivationsThatMarianLacksAreRefused) {
  for (const auto activation : {Activation::kGelu, Activation::kGlu, Activation::kSwiglu}) {
    const ExportedModel model([&](SmallJob& job) {
      use_marian_formulas(job.config.model);
      job.config.model.activation = activation;
    });
    EXPECT_THAT(refusal(model, kMarian),
                HasSubstr("model.activation: wanted one of relu, swish, gelu_sigmoid, got " +
                          to_json(model.model().config.model).at("activation").get<std::string>()));
  }
}

// yaml-cpp and PyYAML refuse these characters, or read them as line ends.
TEST_F(ExportMarianTest, CharactersThatYamlDoesNotPrintAreEscaped) {
  const std::vector<std::string> pieces{"a\x7f", "b\u0085", "c\u2028", "d\ufeff", "e\ufffe", "f\u009f", "g\u00e9"};
  const ExportedModel exported([](SmallJob& job) { use_marian_formulas(job.config.model); },
                               [&](const std::string& bytes) {
                                 auto table = read_piece_table(bytes);
                                 for (const auto& piece : pieces) table.pieces.push_back({piece, -50});
                                 return write_sentencepiece(table, read_sentencepiece_settings(bytes));
                               });
  exported.write(kMarian);
  const auto text = exported.text("vocab.yml");
  for (const auto* escaped : {"a\\u007f", "b\\u0085", "c\\u2028", "d\\ufeff", "e\\ufffe", "f\\u009f", "g\u00e9"})
    EXPECT_THAT(text, HasSubstr('"' + std::string(escaped) + '"'));
  const auto vocabulary = read_vocabulary(exported.output() / "vocab.yml");
  for (const auto& piece : pieces) EXPECT_THAT(vocabulary.pieces, testing::Contains(piece));
}

}  // namespace
}  // namespace gloss
