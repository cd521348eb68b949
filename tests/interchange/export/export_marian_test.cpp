#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "interchange/export/export_checks.h"
#include "interchange/formats/marian_options.h"
#include "interchange/formats/npz_file.h"
#include "interchange/formats/vocabulary_file.h"
#include "interchange/import/import_model.h"
#include "interchange/weight_map.h"
#include "model/weights.h"
#include "tests/interchange/export/exported_model.h"
#include "tokenizer/sentencepiece_writer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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
      auto source_rows = piece_rows(source - 2, kMarianSpecials), target_rows = piece_rows(target - 2, kMarianSpecials);
      for (auto* rows : {&source_rows, &target_rows}) rows->foreign_size = (rows->foreign_size + 7) / 8 * 8;
      const WeightMap map(ModelFamily::kMarian, model.config.model, source_rows, target_rows);
      const auto weights = network_weights(model.config.model, model.file.vocabularies);
      const auto has_pieces = [](const auto& item) { return piece_axis(item.first).has_value(); };
      EXPECT_EQ(file->names().size(), weights.size() + std::ranges::count_if(weights, has_pieces) + 1);
      for (const auto& [name, info] : weights) {
        const auto foreign = map.names(name).front();
        ASSERT_TRUE(file->has(foreign.name)) << foreign.name;
        const auto back = map.to_gloss(name, foreign, file->tensor(foreign.name));
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
  const auto options = marian_options_of(*file).values;
  const auto pieces = exported.model().file.vocabularies.source - 2, rows = (pieces + 7) / 8 * 8;
  const auto twice = [](std::int64_t number) { return Json{std::to_string(number), std::to_string(number)}; };
  EXPECT_EQ(options.at("type"), "transformer");
  EXPECT_EQ(options.at("dim-vocabs"), twice(rows));
  EXPECT_EQ(options.at("gloss-used-pieces"), twice(pieces));
  EXPECT_EQ(options.at("dim-emb"), "8");
  EXPECT_EQ(options.at("transformer-heads"), "2");
  EXPECT_EQ(options.at("transformer-dim-ffn"), "16");
  EXPECT_EQ(options.at("transformer-decoder-dim-ffn"), "24");
  EXPECT_EQ(options.at("transformer-preprocess"), "n");
  EXPECT_EQ(options.at("transformer-postprocess"), "da");
  EXPECT_EQ(options.at("transformer-postprocess-top"), "n");
  EXPECT_EQ(options.at("transformer-ffn-activation"), "relu");
  EXPECT_EQ(options.at("tied-embeddings-all"), "true");
}

// intgemm wants a multiple of 8 rows; each of the eight vocabularies has another remainder.
TEST_F(ExportMarianTest, IdsAreMariansAndTheirNumberIsAMultipleOfEight) {
  for (int more = 0; more < 8; ++more) {
    const ExportedModel exported([&](SmallJob& job) {
      use_marian_formulas(job.config.model);
      job.config.tokenizer.vocabulary_size += more;
      for (int i = 0; i < more; ++i) job.config.tokenizer.symbols.push_back("<tag" + std::to_string(i) + ">");
    });
    exported.write(kMarian);
    const auto vocabulary = read_vocabulary(exported.output() / "vocab.yml");
    const auto model = exported.model();
    const auto used = model.source_tokenizer->vocabulary_size() - 2;
    ASSERT_EQ(vocabulary.size(), (used + 7) / 8 * 8);
    EXPECT_EQ(vocabulary.pieces.at(0), "</s>");
    EXPECT_EQ(vocabulary.pieces.at(1), "<unk>");
    for (std::int64_t id = 2; id < vocabulary.size(); ++id)
      EXPECT_EQ(vocabulary.pieces.at(static_cast<std::size_t>(id)),
                id < used ? model.source_tokenizer->piece(static_cast<Id>(id + 2)) : unused_piece(id));
    EXPECT_EQ(read_vocabulary(exported.output() / "vocab.spm").pieces, vocabulary.pieces);
    const auto bias = open_npz(exported.output() / "model.npz")->tensor("decoder_ff_logit_out_b");
    ASSERT_EQ(bias.size(1), vocabulary.size());
    for (std::int64_t id = used; id < vocabulary.size(); ++id)
      EXPECT_EQ(bias[0][id].item<float>(), PieceRows::kNoRowBias) << id;
  }
}

TEST_F(ExportMarianTest, PreNormIsRefusedUnlessItNormsTheQueryAlone) {
  const ExportedModel exported([](SmallJob& job) {
    use_marian_formulas(job.config.model);
    job.config.model.self_attention_norm = SelfAttentionNorm::kAll;
  });
  EXPECT_THAT(refusal(exported, kMarian),
              AllOf(HasSubstr("model.self_attention_norm: wanted query with model.norm pre, got all"),
                    HasSubstr("train with model.self_attention_norm query, or with model.norm post")));
}

TEST_F(ExportMarianTest, TheVersionIsOneThatComputesTheNetwork) {
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    const ExportedModel exported([&](SmallJob& job) {
      job.config.model.norm = norm;
      use_marian_formulas(job.config.model);
    });
    exported.write(kMarian);
    const auto file = open_npz(exported.output() / "model.npz");
    const bool pre = norm == NormPlace::kPre;
    EXPECT_EQ(marian_options_of(*file).values.at("version"),
              std::string(pre ? "v1.9.56" : "v1.12.0") + " (written by gloss)");
    const auto note = HasSubstr("Marian computes this pre-norm network up to version 1.10");
    EXPECT_THAT(exported.text("README.md"), pre ? testing::Matcher<std::string>(note) : Not(note));
  }
}

TEST(ExportMarianRefusalTest, OtherProgramsLackTheNormOfTheQueryAlone) {
  const ExportedModel exported([](SmallJob& job) { job.config.model.self_attention_norm = SelfAttentionNorm::kQuery; });
  for (const auto format : {ExportFormat::kCtranslate2, ExportFormat::kHuggingFace})
    EXPECT_THAT(refusal(exported, format), HasSubstr("model.self_attention_norm: wanted all, got query"));
}

TEST_F(ExportMarianTest, DecoderHasTheSearchOfTheRunFile) {
  const ExportedModel exported([](SmallJob& job) {
    job.use_two_tokenizers(TieEmbeddings::kDecoder);
    use_marian_formulas(job.config.model);
    job.config.decoding.length_penalty = 0.6;
  });
  exported.write(kMarian);
  const auto options = read_marian_options(exported.output() / "decoder.yml").values;
  EXPECT_EQ(options.at("models"), Json::array({"model.npz"}));
  EXPECT_EQ(options.at("vocabs"), Json::array({"source_vocab.spm", "target_vocab.spm"}));
  for (const auto* file : {"source_vocab.yml", "target_vocab.yml"})
    EXPECT_TRUE(std::filesystem::exists(exported.output() / file)) << file;
  EXPECT_EQ(options.at("beam-size"), "2");
  EXPECT_EQ(options.at("normalize"), "0.6");
  EXPECT_EQ(options.at("allow-unk"), "true");
  EXPECT_EQ(options.at("word-penalty"), "0");
  EXPECT_EQ(options.at("max-length"), "64");
  EXPECT_EQ(options.at("max-length-crop"), "true");
  EXPECT_EQ(options.at("max-length-factor"), "20");
  EXPECT_EQ(exported.text("target_tokenizer.model"), exported.model().target_tokenizer->serialized());
  EXPECT_THAT(exported.text("README.md"),
              AllOf(HasSubstr("marian-decoder --config decoder.yml --quiet\n"), Not(HasSubstr("spm_encode"))));
  EXPECT_EQ(run_readme(exported, "a\u2581b\n"), "a_b\n");
}

TEST_F(ExportMarianTest, TheSearchOfMarianComesBack) {
  for (const bool is_marians : {false, true}) {
    const ExportedModel exported([&](SmallJob& job) {
      use_marian_formulas(job.config.model);
      job.config.decoding.shrinking_beam = is_marians;
      job.config.decoding.max_length_factor = is_marians ? 2.5 : 0;
    });
    exported.write(kMarian);
    EXPECT_EQ(check_import({.path = exported.output()}).decoding.at("max_length_factor"), is_marians ? 2.5 : 20);
    const auto readme = exported.text("README.md");
    EXPECT_THAT(readme, HasSubstr(is_marians ? "--precision float32` prints" : "float32 --shrinking-beam` prints"));
    EXPECT_THAT(readme, HasSubstr(is_marians ? "to 2.5 times the longest source of a batch; gloss to 6 tokens,\n"
                                               "  and to 2.5 times their own source."
                                             : "to 20 times the longest source of a batch; gloss to 6 tokens.\n"));
  }
}

TEST(ExportMarianRefusalTest, AModelOfGlossesDefaultsIsRefusedWithAllReasons) {
  const ExportedModel model;
  EXPECT_THAT(refusal(model, kMarian, WeightPrecision::kBfloat16),
              AllOf(HasSubstr("--to marian: the format cannot express this model: "),
                    HasSubstr("model.position_frequencies: wanted tensor2tensor, got paper"),
                    HasSubstr("model.decoder_start: wanted zero, got bos"),
                    HasSubstr("model.layer_norm_epsilon: wanted 1e-06, got 1e-05"),
                    HasSubstr("--precision: wanted float32 or int8, got bfloat16")));
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
    EXPECT_EQ(marian_options_of(*file).values.at("transformer-ffn-activation"), name);
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

/// Adds to the model file what a fast model has: a scale of inputs of each matrix, and a shortlist.
LoadedModel with_extras(const ExportedModel& exported) {
  auto stored = read_model_file(exported.model_file(), at::kCPU);
  const auto& config = exported.model().config.model;
  for (const auto& [name, info] : network_weights(config, stored.vocabularies))
    if (info.kind == WeightKind::kMatrix) stored.description.input_scales[name] = 0.25F;
  stored.description.input_scales[stored_name(kGeneratorMatrix, config.tie_embeddings)] = 0.5F;
  Shortlist::Table table{.offsets = {0}, .tokens = {}, .always = {kEos, kUnk, 4, 5, 9}};
  for (std::int64_t id = 0; id < stored.vocabularies.source; ++id) {
    if (id >= kSpecialIds && id < stored.vocabularies.target) table.tokens.push_back(static_cast<Id>(id));
    if (id == 7) table.tokens.push_back(6);
    table.offsets.push_back(static_cast<std::int32_t>(table.tokens.size()));
  }
  stored.description.shortlist = std::make_shared<const Shortlist>(table, stored.vocabularies);
  write_model_file(exported.model_file(), stored.model, stored.description, WeightPrecision::kInt8);
  return stored;
}

TEST_F(ExportMarianTest, AStudentInInt8ComesBackAsItsIntegers) {
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kNone}) {
    const ExportedModel exported([&](SmallJob& job) {
      if (tie != TieEmbeddings::kAll) job.use_two_tokenizers(tie);
      job.config.model.norm = NormPlace::kPost;
      job.config.model.decoder_layer = DecoderLayerType::kSsru;
      use_marian_formulas(job.config.model);
    });
    const auto stored = with_extras(exported);
    const auto rounded = exported.model();
    exported.write(kMarian, WeightPrecision::kInt8);
    const auto again = exported.output().parent_path() / "again.safetensors";
    const auto report = import_model({.path = exported.output()}, WeightPrecision::kInt8, again);
    const auto back = load_translation_model(again, at::kCPU);
    for (const auto& [name, info] : network_weights(rounded.config.model, stored.vocabularies)) {
      const auto got = back.file.model.weights(name), had = rounded.file.model.weights(name);
      if (!had.scales.defined()) {
        auto expected = had.values.clone();
        if (name == "generator.bias")
          for (const auto id : {kPad, kBos}) expected[id] = PieceRows::kNoRowBias;
        EXPECT_TRUE(got.to_float().equal(expected)) << name;
        continue;
      }
      const auto one = to_int8(had.to_float(), Int8Scales::kMatrix);
      const auto first = piece_axis(name) ? kSpecialIds : 0;  // Marian has neither pad nor bos
      EXPECT_TRUE(got.values.slice(0, first).equal(one.values.slice(0, first))) << name;
      EXPECT_TRUE(got.scales.slice(0, first).allclose(one.scales.slice(0, first), 1e-6)) << name;
      EXPECT_EQ(got.input_scale, had.input_scale) << name;
    }
    const auto& table = back.file.description.shortlist->table();
    const auto& wanted = stored.description.shortlist;
    EXPECT_EQ(table.always.size(), 4u) << "eos, unk and the first pieces of the vocabulary";
    for (Id id = kSpecialIds; id < stored.vocabularies.source; ++id)
      EXPECT_EQ(back.file.description.shortlist->list(std::vector<std::int64_t>{id, kEos}, {}),
                wanted->list(std::vector<std::int64_t>{id, kEos}, {}))
          << id;
  }
}

}  // namespace
}  // namespace gloss
