#include <filesystem>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/protobuf.h"
#include "interchange/export/export_checks.h"
#include "interchange/import/import_model.h"
#include "interchange/weight_map.h"
#include "model/weights.h"
#include "tests/interchange/export/exported_model.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr auto kHuggingFace = ExportFormat::kHuggingFace;

at::Tensor tensor_of(const SafetensorsFile& file, const std::string& name, at::ScalarType type = at::kFloat) {
  auto values = at::empty(file.tensors().at(name).shape, type);
  file.read(name, {static_cast<std::byte*>(values.mutable_data_ptr()), values.nbytes()});
  return values;
}

void use_post_norm(SmallJob& job) { job.config.model.norm = NormPlace::kPost; }

TEST(ExportHuggingFaceTest, EveryWeightComesBackBitByBit) {
  for (const bool post : {false, true}) {
    for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
      if (!post && tie != TieEmbeddings::kAll) continue;
      const ExportedModel exported([&](SmallJob& job) {
        if (tie != TieEmbeddings::kAll) job.use_two_tokenizers(tie);
        if (post) use_post_norm(job);
      });
      exported.write(kHuggingFace);
      const auto model = exported.model();
      const auto& vocabularies = model.file.vocabularies;
      const SpecialRows ids{.pad = 0, .unk = 1, .bos = 2, .eos = 3};
      const WeightMap map(ModelFamily::kHuggingFace, model.config.model, piece_rows(vocabularies.source, ids),
                          piece_rows(vocabularies.target, ids));
      const auto file = SafetensorsFile::open(exported.output() / "model.safetensors");
      EXPECT_EQ(file.metadata().at("format"), "pt");
      const auto weights = network_weights(model.config.model, vocabularies);
      EXPECT_EQ(file.tensors().size(), weights.size());
      for (const auto& [name, info] : weights) {
        const auto foreign = map.names(name).front();
        ASSERT_TRUE(file.tensors().contains(foreign.name)) << foreign.name;
        EXPECT_TRUE(map.to_gloss(name, foreign, tensor_of(file, foreign.name)).equal(exported.weight(name))) << name;
      }
    }
  }
}

// The smallest width comes back, too.
TEST(ExportHuggingFaceTest, EveryWidthCanBeImportedAgain) {
  for (const bool post : {false, true}) {
    const ExportedModel exported([&](SmallJob& job) {
      job.config.model.d_model = 2;
      job.config.model.heads = 1;
      if (post) use_post_norm(job);
    });
    exported.write(kHuggingFace);
    EXPECT_THAT(check_import({.path = exported.output()}).refusals.reasons(), testing::IsEmpty());
  }
}

// The sines come before the cosines there.
TEST(ExportHuggingFaceTest, ChannelsAreInTheOrderOfTheClass) {
  const ExportedModel exported;
  exported.write(kHuggingFace);
  const auto file = SafetensorsFile::open(exported.output() / "model.safetensors");
  const auto shared = tensor_of(file, "model.shared.weight"), own = exported.weight("source_embedding.weight");
  const std::int64_t half = 4;
  for (std::int64_t i = 0; i < half; ++i) {
    EXPECT_TRUE(shared.select(1, i).equal(own.select(1, 2 * i)));
    EXPECT_TRUE(shared.select(1, half + i).equal(own.select(1, 2 * i + 1)));
  }
  EXPECT_EQ(file.tensors().at("final_logits_bias").shape, (std::vector<std::int64_t>{1, own.size(0)}));
}

TEST(ExportHuggingFaceTest, PreNormIsPegasusAndPostNormIsMarian) {
  const ExportedModel pre([](SmallJob& job) { job.config.model.activation = Activation::kGeluSigmoid; });
  pre.write(kHuggingFace);
  auto config = pre.json("config.json");
  EXPECT_EQ(config.at("architectures"), Json::array({"PegasusForConditionalGeneration"}));
  EXPECT_EQ(config.at("model_type"), "pegasus");
  EXPECT_EQ(config.at("activation_function"), "quick_gelu");
  EXPECT_EQ(config.at("decoder_start_token_id"), 2);
  EXPECT_EQ(config.at("eos_token_id"), 3);
  EXPECT_EQ(config.at("pad_token_id"), 0);
  EXPECT_EQ(config.at("d_model"), 8);
  EXPECT_EQ(config.at("max_position_embeddings"), 2048);
  EXPECT_EQ(config.at("tie_word_embeddings"), true);
  EXPECT_THAT(config.at("exported_by").get<std::string>(), testing::StartsWith("gloss "));

  const ExportedModel post([](SmallJob& job) {
    job.use_two_tokenizers(TieEmbeddings::kNone);
    use_post_norm(job);
    job.config.model.d_ff_decoder = 24;
  });
  post.write(kHuggingFace);
  config = post.json("config.json");
  const auto vocabularies = post.model().file.vocabularies;
  EXPECT_EQ(config.at("architectures"), Json::array({"MarianMTModel"}));
  EXPECT_EQ(config.at("vocab_size"), vocabularies.source);
  EXPECT_EQ(config.at("decoder_vocab_size"), vocabularies.target);
  EXPECT_EQ(config.at("share_encoder_decoder_embeddings"), false);
  EXPECT_EQ(config.at("tie_word_embeddings"), false);
  EXPECT_EQ(config.at("encoder_ffn_dim"), 16);
  EXPECT_EQ(config.at("decoder_ffn_dim"), 24);
  EXPECT_EQ(post.text("source_tokenizer.model"), post.model().source_tokenizer->serialized());
}

TEST(ExportHuggingFaceTest, TwoTokenizersAreOneMarianTokenizer) {
  const ExportedModel exported([](SmallJob& job) {
    job.use_two_tokenizers(TieEmbeddings::kNone);
    use_post_norm(job);
  });
  exported.write(kHuggingFace);
  const auto config = exported.json("tokenizer_config.json");
  EXPECT_EQ(config.at("tokenizer_class"), "MarianTokenizer");
  EXPECT_EQ(config.at("separate_vocabs"), true);
  EXPECT_FALSE(std::filesystem::exists(exported.output() / "tokenizer.json"));
  const auto model = exported.model();
  for (const auto& [tokenizer, spm, table] : {std::tuple(model.source_tokenizer, "source.spm", "vocab.json"),
                                              {model.target_tokenizer, "target.spm", "target_vocab.json"}}) {
    EXPECT_EQ(exported.text(spm), tokenizer->serialized());
    const auto pieces = exported.json(table);
    EXPECT_EQ(pieces.size(), static_cast<std::size_t>(tokenizer->vocabulary_size()));
    for (const auto& [piece, id] : pieces.items()) EXPECT_EQ(tokenizer->piece(id.get<Id>()), piece);
  }
  EXPECT_THAT(exported.text("README.md"), HasSubstr("tokenizer = MarianTokenizer.from_pretrained(\".\")"));
}

// transformers saves the files of its own class only.
TEST(ExportHuggingFaceTest, AnExportIsReadWithoutTheFilesOfGloss) {
  for (const bool separate : {false, true}) {
    const ExportedModel exported([&](SmallJob& job) {
      if (separate) job.use_two_tokenizers(TieEmbeddings::kNone);
      if (separate) use_post_norm(job);
    });
    exported.write(kHuggingFace);
    for (const auto* name : {"tokenizer.model", "source_tokenizer.model", "target_tokenizer.model"})
      std::filesystem::remove(exported.output() / name);
    const auto again = exported.output().parent_path() / "again.safetensors";
    import_model({.path = exported.output()}, WeightPrecision::kFloat32, again);
    const auto imported = load_translation_model(again, at::kCPU), model = exported.model();
    for (const auto* text : {"a b c", "the dog sees the cat, \u00bd", ""}) {
      EXPECT_EQ(imported.source_tokenizer->encode(text), model.source_tokenizer->encode(text));
      EXPECT_EQ(imported.target_tokenizer->encode(text), model.target_tokenizer->encode(text));
    }
    for (const auto& [name, info] : network_weights(model.config.model, model.file.vocabularies))
      EXPECT_TRUE(imported.file.model.weights(name).to_float().equal(exported.weight(name))) << name;
  }
}

TEST(ExportHuggingFaceTest, ATokenizerThatIsCutOffIsNotImportedAgain) {
  const ExportedModel exported;
  exported.write(kHuggingFace);
  const auto bytes = exported.text("tokenizer.model");
  std::size_t size = 0;  // of the pieces
  for (ProtobufFields fields(bytes); const auto field = fields.next();)
    if (field->number == ModelField::kPieces)
      size = static_cast<std::size_t>(field->bytes.data() + field->bytes.size() - bytes.data());
  write_file(exported.output() / "tokenizer.model", std::string_view(bytes).substr(0, size));
  EXPECT_THAT([&] { check_import({.path = exported.output()}); },
              ThrowsMessage<ModelError>(HasSubstr("tokenizer.model: wanted a SentencePiece model, got one without its "
                                                  "settings of training; the file is cut off")));
}

TEST(ExportHuggingFaceTest, ActivationsHaveTheNamesOfTheClasses) {
  for (const auto& [activation, name] : {std::pair(Activation::kRelu, "relu"),
                                         {Activation::kGelu, "gelu"},
                                         {Activation::kSwish, "silu"},
                                         {Activation::kGeluSigmoid, "quick_gelu"}}) {
    const ExportedModel model([activation = activation](SmallJob& job) { job.config.model.activation = activation; });
    model.write(kHuggingFace);
    EXPECT_EQ(model.json("config.json").at("activation_function"), name);
  }
  const ExportedModel gate([](SmallJob& job) { job.config.model.activation = Activation::kGlu; });
  EXPECT_THAT(refusal(gate, kHuggingFace),
              HasSubstr("model.activation: wanted one of relu, swish, gelu, gelu_sigmoid, got glu"));
}

TEST(ExportHuggingFaceTest, GenerationHasTheSearchOfTheRunFile) {
  const ExportedModel model([](SmallJob& job) {
    job.config.decoding.length_penalty = 0.6;
    job.config.decoding.no_unk = true;
    job.config.decoding.min_length = 2;
  });
  model.write(kHuggingFace);
  EXPECT_EQ(model.json("generation_config.json"), parse_json(R"({"pad_token_id": 0, "bos_token_id": 2,
      "eos_token_id": 3, "decoder_start_token_id": 2, "num_beams": 2, "do_sample": false, "max_new_tokens": 6,
      "length_penalty": 0.6, "early_stopping": true, "min_new_tokens": 2, "suppress_tokens": [1]})"));
}

TEST(ExportHuggingFaceTest, Bfloat16IsStoredForMatricesAndInt8IsRefused) {
  const ExportedModel model;
  model.write(kHuggingFace, WeightPrecision::kBfloat16);
  const auto file = SafetensorsFile::open(model.output() / "model.safetensors");
  EXPECT_EQ(file.tensors().at("model.encoder.layers.0.fc1.weight").dtype, Dtype::kBF16);
  EXPECT_EQ(file.tensors().at("model.encoder.layers.0.fc1.bias").dtype, Dtype::kF32);
  EXPECT_EQ(file.tensors().at("final_logits_bias").dtype, Dtype::kF32);
  EXPECT_THAT(refusal(model, kHuggingFace, WeightPrecision::kInt8),
              HasSubstr("--precision: wanted float32 or bfloat16, got int8"));
}

TEST(ExportHuggingFaceTest, NetworksWithoutAClassAreRefusedWithAllReasons) {
  const ExportedModel learned([](SmallJob& job) {
    job.config.model.positions = Positions::kLearned;
    job.config.model.layer_norm_epsilon = 1e-6;
    job.config.model.tie_embeddings = TieEmbeddings::kDecoder;
    job.config.model.activation = Activation::kSwiglu;
  });
  EXPECT_THAT(refusal(learned, kHuggingFace),
              AllOf(HasSubstr("--to huggingface: "), HasSubstr("model.positions: wanted sinusoidal, got learned"),
                    HasSubstr("model.layer_norm_epsilon: wanted 1e-05, got 1e-06"),
                    HasSubstr("model.tie_embeddings: wanted all, got decoder"), HasSubstr("model.activation: ")));
  const ExportedModel post([](SmallJob& job) {
    use_post_norm(job);
    job.config.model.final_norm = true;
    job.config.model.position_frequencies = PositionFrequencies::kTensor2Tensor;
  });
  EXPECT_THAT(refusal(post, kHuggingFace), AllOf(HasSubstr("model.final_norm: wanted false, got true"),
                                                 HasSubstr("model.position_frequencies: wanted paper")));
  EXPECT_FALSE(std::filesystem::exists(post.output()));
}

TEST(ExportHuggingFaceTest, ReadmeNamesTheClassAndTheTensorThatTransformersMisses) {
  const ExportedModel model;
  model.write(kHuggingFace);
  EXPECT_THAT(model.text("README.md"), AllOf(HasSubstr("PegasusForConditionalGeneration.from_pretrained"),
                                             HasSubstr("gloss translate --model MODEL --precision float32"),
                                             HasSubstr("`embed_positions.weight` as `MISSING`")));
  const ExportedModel marians([](SmallJob& job) {
    job.config.decoding.shrinking_beam = true;
    job.config.decoding.max_length_factor = 2;
  });
  marians.write(kHuggingFace);
  EXPECT_THAT(marians.text("README.md"), HasSubstr("float32 --no-shrinking-beam --max-length-factor 0` prints"));
}

TEST(ExportHuggingFaceTest, TheProgramOfTheReadmeRuns) {
  const ExportedModel model;
  model.write(kHuggingFace);
  EXPECT_EQ(run_readme(model, "a b\n\n\u2581c\rd\r\n"), "a b\n\n_c\rd\n");
}

}  // namespace
}  // namespace gloss
