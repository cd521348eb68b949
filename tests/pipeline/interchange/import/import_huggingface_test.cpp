#include <filesystem>
#include <string>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "pipeline/interchange/import/import_model.h"
#include "pipeline/models/translation_model.h"
#include "tests/pipeline/interchange/foreign_model.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class ImportHuggingFaceTest : public testing::Test {
 protected:
  ImportReport check(const HuggingFaceModel& model, ImportSettings settings = {}) {
    std::filesystem::remove_all(folder_ / "there");
    model.write(folder_ / "there");
    settings.path = folder_ / "there";
    return check_import(settings);
  }
  std::vector<std::string> refusals(const HuggingFaceModel& model, const ImportSettings& settings = {}) {
    return check(model, settings).refusals.reasons();
  }
  TranslationModel imported(const HuggingFaceModel& model, ImportSettings settings = {}) {
    EXPECT_THAT(refusals(model, settings), IsEmpty());
    settings.path = folder_ / "there";
    import_model(settings, WeightPrecision::kFloat32, folder_ / "gloss.safetensors");
    return load_translation_model(folder_ / "gloss.safetensors", at::kCPU);
  }
  /// Rows of gloss's embedding, by rows there.
  static void expect_rows(const TranslationModel& model, const HuggingFaceModel& there,
                          const std::map<std::int64_t, std::int64_t>& rows) {
    const auto embedding = model.file.model.weights("source_embedding.weight").values;
    const auto& shared = there.tensors.at("model.shared.weight");
    for (const auto& [id, row] : rows)
      for (std::int64_t c = 0; c < kSmallWidth; ++c)
        EXPECT_EQ(embedding[id][place_of(c)].item<float>(), shared.at(row, c)) << id << " of row " << row;
  }

  TemporaryFolder folder_;
};

TEST_F(ImportHuggingFaceTest, MarianMTIsComputedAsItWasTrained) {
  const HuggingFaceModel there("marian");
  const auto model = imported(there);
  const auto& config = model.config.model;
  EXPECT_EQ(config.norm, NormPlace::kPost);
  EXPECT_EQ(config.position_frequencies, PositionFrequencies::kTensor2Tensor);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-6);
  EXPECT_EQ(config.decoder_start, DecoderStart::kZero);
  expect_rows(model, there, {{0, there.pieces - 1}, {1, 1}, {3, 0}, {4, 2}, {10, 8}});
  const auto bias = model.file.model.weights("generator.bias").values;
  EXPECT_EQ(bias[0].item<float>(), -100);
  EXPECT_EQ(bias[2].item<float>(), -100);
  EXPECT_EQ(bias[3].item<float>(), there.tensors.at("final_logits_bias").at(0, 0));
  const auto hf = imported(there, {.formulas = ModelFamily::kHuggingFace});
  EXPECT_EQ(hf.config.model.position_frequencies, PositionFrequencies::kPaper);
  EXPECT_EQ(hf.config.model.layer_norm_epsilon, 1e-5);
}

TEST_F(ImportHuggingFaceTest, MatricesAreNotTransposed) {
  const HuggingFaceModel there("marian");
  const auto model = imported(there);
  const auto weight = [&](const std::string& name) { return model.file.model.weights(name).values; };
  const auto key = weight("decoder.layers.0.cross_attention.key.weight");
  const auto output = weight("encoder.layers.0.self_attention.output.weight");
  const auto& key_there = there.tensors.at("model.decoder.layers.0.encoder_attn.k_proj.weight");
  const auto& output_there = there.tensors.at("model.encoder.layers.0.self_attn.out_proj.weight");
  for (std::int64_t c = 0; c < kSmallWidth; ++c)
    for (std::int64_t i = 0; i < kSmallWidth; ++i) {
      EXPECT_EQ(key[i][place_of(c)].item<float>(), key_there.at(i, c));
      EXPECT_EQ(output[place_of(c)][i].item<float>(), output_there.at(c, i));
    }
}

TEST_F(ImportHuggingFaceTest, TagsOfMarianMTAreLanguagesOfTheTarget) {
  const HuggingFaceModel there("marian");
  const auto model = imported(there, {.target_language = "deu"});
  EXPECT_EQ(model.config.tokenizer.source_tag, SourceTag::kTarget);
  EXPECT_FALSE(model.config.tokenizer.target_tag);
  EXPECT_EQ(model.config.data.target_language, "deu");
  EXPECT_THAT(check(there).notes, Contains(HasSubstr("--target-language")));
  EXPECT_THAT([&] { check(there, {.target_language = "eng"}); },
              ThrowsMessage<UsageError>(
                  HasSubstr("target_language: wanted a language that this model knows, one of deu, fra, got eng")));
}

TEST_F(ImportHuggingFaceTest, PegasusIsPreNormAndStartsFromZero) {
  const HuggingFaceModel there("pegasus");
  const auto model = imported(there);
  const auto& config = model.config.model;
  EXPECT_EQ(config.norm, NormPlace::kPre);
  EXPECT_TRUE(config.has_final_norm());
  EXPECT_EQ(config.position_frequencies, PositionFrequencies::kPaper);
  EXPECT_EQ(config.first_position, 0);
  EXPECT_EQ(config.decoder_start, DecoderStart::kZero);
  expect_rows(model, there, {{0, 0}, {1, 4}, {3, 1}, {4, 2}, {5, 3}, {6, 5}});
  EXPECT_EQ(model.source_tokenizer->decode(model.source_tokenizer->encode("the cat")), "the cat");
}

TEST_F(ImportHuggingFaceTest, M2M100AndNLLBHaveTagsOnBothSides) {
  for (const auto& [type, german] : {std::pair("m2m_100", "de"), {"nllb", "deu_Latn"}}) {
    const HuggingFaceModel there(type);
    const auto model = imported(there, {.target_language = german});
    const auto& config = model.config;
    EXPECT_EQ(config.model.first_position, 2);
    EXPECT_EQ(config.model.position_frequencies, PositionFrequencies::kTensor2Tensor);
    EXPECT_EQ(config.model.layer_norm_epsilon, 1e-5);
    EXPECT_EQ(config.model.decoder_start, DecoderStart::kBosRow);
    EXPECT_EQ(config.tokenizer.source_tag, SourceTag::kSource);
    EXPECT_TRUE(config.tokenizer.target_tag);
    expect_rows(model, there, {{0, 1}, {1, 3}, {2, 2}, {3, 2}, {4, 4}, {5, 5}});
    EXPECT_EQ(model.source_tokenizer->language_tag(german), there.pieces - 3);
    const auto bias = model.file.model.weights("generator.bias").values;
    EXPECT_EQ(bias[2].item<float>(), -100);
    EXPECT_EQ(bias[4].item<float>(), 0);
  }
}

TEST_F(ImportHuggingFaceTest, TheSearchIsThatOfGenerationConfig) {
  HuggingFaceModel there("pegasus");
  there.generation = {{"num_beams", 3}, {"length_penalty", 0.8}, {"max_length", 50}, {"do_sample", true}};
  const auto report = check(there);
  EXPECT_EQ(report.decoding, (Json{{"beam_size", 3}, {"length_penalty", 0.8}, {"max_length", 49}}));
  EXPECT_THAT(report.notes, Contains(HasSubstr("do_sample true")));
}

TEST_F(ImportHuggingFaceTest, WhatIsNotSupportedIsRefusedByItsKey) {
  for (const auto& [key, bad] : {std::pair<const char*, Json>("model_type", "mbart"),
                                 {"model_type", nullptr},
                                 {"d_model", 7},
                                 {"d_model", "8"},
                                 {"encoder_layers", nullptr},
                                 {"encoder_layers", 100000},
                                 {"decoder_attention_heads", 4},
                                 {"encoder_attention_heads", 3},
                                 {"activation_function", "gelu_new"},
                                 {"static_position_embeddings", false},
                                 {"normalize_before", true},
                                 {"normalize_embedding", true},
                                 {"add_bias_logits", true},
                                 {"quantization_config", Json::object()},
                                 {"vocab_size", 2},
                                 {"pad_token_id", 0},
                                 {"pad_token_id", 100000},
                                 {"decoder_start_token_id", -1}}) {
    HuggingFaceModel there("marian");
    there.config[key] = bad;
    EXPECT_THAT(refusals(there),
                Contains(HasSubstr(std::string(key == std::string("pad_token_id") && bad == 0 ? "eos_token_id" : key) +
                                   ": wanted")))
        << key << ' ' << bad;
  }
  EXPECT_THAT(refusals(HuggingFaceModel("pegasus"), {.formulas = ModelFamily::kMarian}),
              ElementsAre(HasSubstr("--formulas marian: applies to models that Marian trained")));
}

TEST_F(ImportHuggingFaceTest, MissingFilesAndTensorsAreNamedTogether) {
  HuggingFaceModel there("marian");
  there.files.erase("target.spm");
  there.config["activation_function"] = "tanh";
  EXPECT_THAT(refusals(there),
              AllOf(Contains(HasSubstr("target.spm is missing")), Contains(HasSubstr("activation_function"))));
  HuggingFaceModel other("marian");
  other.tensors.erase("model.decoder.layers.0.fc1.bias");
  other.tensors["model.encoder.layernorm_embedding.weight"] = made_tensor("x", {kSmallWidth});
  EXPECT_THAT(refusals(other), ElementsAre(HasSubstr("missing: model.decoder.layers.0.fc1.bias"),
                                           HasSubstr("model.encoder.layernorm_embedding.weight")));
}

TEST_F(ImportHuggingFaceTest, PickledWeightsAreRefusedWithTheCommandThatConvertsThem) {
  HuggingFaceModel("marian").write(folder_ / "there");
  std::filesystem::rename(folder_ / "there" / "model.safetensors", folder_ / "there" / "pytorch_model.bin");
  EXPECT_THAT(check_import({.path = folder_ / "there"}).refusals.reasons(),
              ElementsAre(AllOf(HasSubstr("pytorch_model.bin"), HasSubstr("safe_serialization=True"))));
}

TEST_F(ImportHuggingFaceTest, CopiesOfTheTiedMatrixAreIgnored) {
  HuggingFaceModel there("marian");
  there.tensors["lm_head.weight"] = there.tensors["model.shared.weight"];
  there.tensors["model.decoder.embed_tokens.weight"] = made_tensor("other", {there.pieces, kSmallWidth});
  there.tensors["model.encoder.embed_positions.weight"] = made_tensor("x", {64, kSmallWidth});
  const auto report = check(there);
  EXPECT_THAT(report.refusals.reasons(), IsEmpty());
  EXPECT_THAT(report.ignored, ElementsAre("lm_head.weight", "model.decoder.embed_tokens.weight",
                                          "model.encoder.embed_positions.weight"));
  EXPECT_THAT(report.notes, Contains(HasSubstr("model.decoder.embed_tokens.weight differs")));
}

TEST_F(ImportHuggingFaceTest, SeparateVocabulariesHaveSeparateTokenizers) {
  HuggingFaceModel there("marian");
  there.config["share_encoder_decoder_embeddings"] = false;
  there.config["decoder_vocab_size"] = there.pieces;
  there.files["target_vocab.json"] = there.files["vocab.json"];
  there.tensors["model.encoder.embed_tokens.weight"] = there.tensors["model.shared.weight"];
  there.tensors["model.decoder.embed_tokens.weight"] = made_tensor("other", {there.pieces, kSmallWidth});
  there.tensors.erase("model.shared.weight");
  const auto model = imported(there);
  EXPECT_EQ(model.config.model.tie_embeddings, TieEmbeddings::kDecoder);
  EXPECT_EQ(model.config.model.decoder_start, DecoderStart::kBosRow);  // its row of pad is not zero
}

TEST_F(ImportHuggingFaceTest, DamagedFilesAreNamed) {
  HuggingFaceModel there("m2m_100");
  there.files["vocab.json"] = "{";
  EXPECT_THAT([&] { check(there); }, ThrowsMessage<ModelError>(HasSubstr("vocab.json")));
  there = HuggingFaceModel("marian");
  there.write(folder_ / "there");
  put_text(folder_ / "there" / "config.json", "[]");
  EXPECT_THAT([&] { check_import({.path = folder_ / "there"}); },
              ThrowsMessage<ModelError>(HasSubstr("config.json: wanted an object")));
}

}  // namespace
}  // namespace gloss
