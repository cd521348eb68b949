#include "model/storage/model_file.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "model/storage/stored_weights.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ModelDescription description(const ModelConfig& config) {
  return {
      {{"model", to_json(config)}, {"seed", 1}}, {{"steps", 5}}, {{"tokenizer.model", std::string("\0\x01pieces", 8)}}};
}

class ModelFileTest : public DeviceTest {
 protected:
  // The bytes of a valid file, to be damaged.
  struct Draft {
    std::map<std::string, TensorView> tensors;
    Metadata metadata;
    std::vector<at::Tensor> kept;
  };

  Draft draft() const {
    write_model_file(path_, small_model(at::kCPU), description(small_config()));
    static std::optional<SafetensorsFile> file;
    file = SafetensorsFile::open(path_);
    return {file->tensors(), file->metadata(), {}};
  }

  // Returns the error message of reading the damaged file.
  std::string error_after(const std::function<void(Draft&)>& spoil) const {
    auto spoiled = draft();
    spoil(spoiled);
    write_safetensors(path_, spoiled.tensors, spoiled.metadata);
    return error();
  }

  std::string error() const {
    try {
      read_model_file(path_, device());
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path_.string()));
      return error.what();
    }
    return "no error";
  }

  static void set(Draft& draft, const std::string& name, at::Tensor tensor) {
    draft.kept.push_back(tensor.contiguous());
    draft.tensors[name] = view_of(draft.kept.back());
  }

  static void set_config(Draft& draft, const std::string& key, const Json& value) {
    auto config = parse_json(draft.metadata.at("config"));
    config["model"][key] = value;
    draft.metadata["config"] = to_text(config);
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "model.safetensors";
};

TEST_P(ModelFileTest, RoundTripsBitForBit) {
  for (const auto& config : all_networks()) {
    const auto model = small_model(device(), config);
    write_model_file(path_, model, description(config));
    const auto loaded = read_model_file(path_, device());
    EXPECT_EQ(loaded.model->named_parameters().keys(), model->named_parameters().keys());
    for (const auto& item : model->named_parameters()) {
      EXPECT_THAT(loaded.model->named_parameters()[item.key()], SameAs(item.value())) << item.key();
    }
    EXPECT_EQ(loaded.model->device().type(), device().type());
    EXPECT_EQ(to_json(loaded.config), to_json(config));
    EXPECT_EQ(loaded.vocabularies.target, 20);
    EXPECT_EQ(loaded.description.config, description(config).config);
    EXPECT_EQ(loaded.description.provenance, description(config).provenance);
    EXPECT_EQ(loaded.description.tokenizers, description(config).tokenizers);
    const bool tied = loaded.model->generator()->weight().data_ptr() ==
                      loaded.model
                          ->named_parameters()[config.tie_embeddings == TieEmbeddings::kAll ? "source_embedding.weight"
                                                                                            : "target_embedding.weight"]
                          .data_ptr();
    EXPECT_EQ(tied, config.tie_embeddings != TieEmbeddings::kNone);
  }
}

TEST_P(ModelFileTest, NetworkOfAFileOpenedInPlaceIsThatOfTheFileAsItWas) {
  const auto model = small_model(device());
  write_model_file(path_, model, description(small_config()));
  const auto stored = open_model_file(SafetensorsFile::open_in_place(path_), device());
  auto other = small_config();
  other.d_ff = 8;
  write_model_file(path_, small_model(device(), other), description(other));
  const auto network = stored.model.network();
  EXPECT_EQ(network->device().type(), device().type());
  for (const auto& item : model->named_parameters())
    EXPECT_THAT(network->named_parameters()[item.key()], SameAs(item.value())) << item.key();
}

const Shortlist::Table kTable{.offsets = std::vector<std::int32_t>(21, 0), .tokens = {}, .always = {kEos, 7}};
constexpr const char* kInner = "encoder.layers.0.feed_forward.inner.weight";

ModelDescription with_shortlist(Shortlist::Table table = kTable) {
  auto result = description(small_config());
  result.shortlist = std::make_shared<const Shortlist>(std::move(table), Vocabularies{20, 20});
  result.input_scales = {{kInner, 0.125F}, {"source_embedding.weight", 3.0F}};
  return result;
}

TEST_P(ModelFileTest, ShortlistAndInputScalesRoundTrip) {
  auto table = kTable;
  table.offsets.back() = 2;
  table.tokens = {9, 8};
  for (const auto precision : {WeightPrecision::kInt8, WeightPrecision::kBfloat16}) {
    const auto content = with_shortlist(table);
    const auto model = small_model(at::kCPU);
    write_model_file(path_, model, content, precision);
    const auto read = read_model_file(path_, device()).description;
    ASSERT_NE(read.shortlist, nullptr);
    EXPECT_EQ(read.shortlist->table(), table);
    // They belong to int8 values.
    const bool is_int8 = precision == WeightPrecision::kInt8;
    EXPECT_EQ(read.input_scales, is_int8 ? content.input_scales : decltype(content.input_scales)());
    const auto file = SafetensorsFile::open(path_);
    EXPECT_EQ(read_weight(file, kInner).input_scale, is_int8 ? 0.125F : 0);
    EXPECT_EQ(read_weight(file, "encoder.layers.0.feed_forward.outer.weight").input_scale, 0);

    ModelFileWriter writer(folder_ / "parts", network_weights(small_config(), {20, 20}), precision, content);
    for (const auto& item : model->named_parameters()) writer.write(item.key(), 0, StoredWeight(item.value().detach()));
    writer.commit();
    EXPECT_EQ(read_file(path_, 1 << 20), read_file(folder_ / "parts", 1 << 20));
  }
}

TEST_P(ModelFileTest, DamagedShortlistsAndInputScalesAreRefused) {
  const auto refused = [&](const std::string& name, const TensorView& view, const std::string& message) {
    write_model_file(path_, small_model(at::kCPU), with_shortlist(), WeightPrecision::kInt8);
    const auto file = SafetensorsFile::open(path_);
    auto tensors = file.tensors();
    tensors.erase(name);
    if (!view.bytes.empty()) tensors[name] = view;
    const auto spoiled = folder_ / "spoiled";
    write_safetensors(spoiled, tensors, file.metadata());
    EXPECT_THAT([&] { read_model_file(spoiled, device()); }, ThrowsMessage<ModelError>(HasSubstr(message)));
  };
  const std::vector<std::int32_t> numbers{3, 20};
  const auto bytes = std::as_bytes(std::span(numbers));
  for (const auto* name : {"shortlist.offsets", "shortlist.tokens", "shortlist.always"}) {
    refused(name, {}, std::string(name) + " is missing");
    refused(name, {Dtype::kF32, {2}, bytes}, std::string(name) + ": wanted I32 of 1 dimension, got F32 [2]");
    refused(name, {Dtype::kI32, {1, 2}, bytes}, std::string(name) + ": wanted I32 of 1 dimension, got I32 [1, 2]");
  }
  refused("shortlist.always", {Dtype::kI32, {2}, bytes}, "shortlist.always: wanted tokens from 0 to 19, got 20");
  refused("shortlist.other", {Dtype::kI32, {2}, bytes}, "shortlist.other does not belong");

  const auto scale = input_scale_name(kInner);
  refused(scale, {Dtype::kF32, {2}, bytes}, scale + ": wanted F32 [1], got F32 [2]");
  refused(scale, {Dtype::kI32, {1}, bytes.first(4)}, scale + ": wanted F32 [1], got I32 [1]");
  for (const float value :
       {0.0F, -1.0F, std::numeric_limits<float>::infinity(), 1e-45F, std::numeric_limits<float>::quiet_NaN()})
    refused(scale, {Dtype::kF32, {1}, std::as_bytes(std::span(&value, 1))}, scale + ": wanted a positive number");
  const float one = 1;
  refused("generator.bias_input_scale", {Dtype::kF32, {1}, std::as_bytes(std::span(&one, 1))}, "does not belong");
}

TEST_P(ModelFileTest, EqualModelsGiveEqualFiles) {
  write_model_file(path_, small_model(device()), description(small_config()));
  write_model_file(folder_ / "again", small_model(at::kCPU), description(small_config()));
  EXPECT_EQ(read_file(path_, 1 << 20), read_file(folder_ / "again", 1 << 20));
}

TEST_P(ModelFileTest, TwoVocabulariesHaveTwoTokenizers) {
  auto config = small_config();
  config.tie_embeddings = TieEmbeddings::kDecoder;
  auto two = description(config);
  two.tokenizers = {{"source_tokenizer.model", "s"}, {"target_tokenizer.model", "t"}};
  write_model_file(path_, make_model(config, {20, 24}, RandomStream(1, "weights")), two);
  const auto loaded = read_model_file(path_, device());
  EXPECT_EQ(loaded.vocabularies.source, 20);
  EXPECT_EQ(loaded.vocabularies.target, 24);
  EXPECT_EQ(loaded.description.tokenizers, two.tokenizers);
}

TEST_P(ModelFileTest, MissingConfigKeysHaveTheirDefaults) {
  auto spoiled = draft();
  auto config = parse_json(spoiled.metadata.at("config"));
  for (const auto* key : {"max_positions", "final_norm", "attention_dropout", "activation"}) config["model"].erase(key);
  spoiled.metadata["config"] = to_text(config);
  write_safetensors(path_, spoiled.tensors, spoiled.metadata);
  EXPECT_EQ(read_model_file(path_, device()).config.max_positions, 1024);
}

TEST_P(ModelFileTest, NewerVersionIsRefusedNamingBoth) {
  EXPECT_THAT(error_after([](Draft& d) { d.metadata["format_version"] = "2"; }),
              AllOf(HasSubstr("format_version: wanted 1, got 2"), HasSubstr("newer gloss")));
  EXPECT_THAT(error_after([](Draft& d) { d.metadata["format_version"] = "one"; }), HasSubstr("wanted 1, got one"));
}

TEST_P(ModelFileTest, OtherFormatsAreRefused) {
  EXPECT_THAT(error_after([](Draft& d) { d.metadata["format"] = "gloss-checkpoint"; }),
              HasSubstr("format: wanted gloss-model, got gloss-checkpoint"));
  EXPECT_THAT(error_after([](Draft& d) { d.metadata.erase("format"); }),
              HasSubstr("wanted the format gloss-model, got none"));
  for (const auto* key : {"format_version", "config", "provenance"}) {
    EXPECT_THAT(error_after([&](Draft& d) { d.metadata.erase(key); }),
                HasSubstr("metadata has no " + std::string(key)));
  }
}

TEST_P(ModelFileTest, ChecksumIsRequired) {
  draft();
  const auto bytes = read_file(path_, 1 << 20);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  auto header = parse_json(bytes.substr(sizeof length, length));
  for (const auto* key : {"sha256", "header_sha256"}) EXPECT_EQ(header["__metadata__"].erase(key), 1U) << key;
  auto text = to_text(header);
  text.resize(length, ' ');
  write_file(path_, bytes.substr(0, sizeof length) + text + bytes.substr(sizeof length + length));
  EXPECT_THAT(error(), HasSubstr("metadata has no sha256"));
}

TEST_P(ModelFileTest, RenamedChecksumIsDamage) {
  draft();
  auto bytes = read_file(path_, 1 << 20);
  bytes[bytes.find("\"sha256\"") + 1] = 'S';
  write_file(path_, bytes);
  EXPECT_THAT(error(), HasSubstr("the file is damaged"));
}

TEST_P(ModelFileTest, MissingTensorIsNamed) {
  for (const auto* name : {"encoder.layers.1.feed_forward.inner.bias", "source_embedding.weight", "generator.bias"}) {
    EXPECT_THAT(error_after([&](Draft& d) { d.tensors.erase(name); }), HasSubstr(std::string(name) + " is missing"));
  }
}

TEST_P(ModelFileTest, ExtraTensorIsNamed) {
  EXPECT_THAT(error_after([](Draft& d) { set(d, "encoder.layers.2.feed_forward.inner.bias", formula_tensor({32})); }),
              HasSubstr("encoder.layers.2.feed_forward.inner.bias does not belong"));
  EXPECT_THAT(error_after([](Draft& d) {
                set(d, "generator.weight", formula_tensor({20, 16}));
              }),
              HasSubstr("generator.weight does not belong"));
}

TEST_P(ModelFileTest, WrongTypeIsNamed) {
  EXPECT_THAT(error_after([](Draft& d) {
                auto& view = d.tensors["decoder.norm.weight"];
                view = {Dtype::kF16, {16}, view.bytes.first(32)};
              }),
              HasSubstr("decoder.norm.weight: wanted F32 or BF16 [16], got F16 [16]"));
  EXPECT_THAT(error_after([](Draft& d) { set(d, "tokenizer.model", formula_tensor({2})); }),
              HasSubstr("tokenizer.model: wanted U8 of 1 dimension, got F32 [2]"));
}

TEST_P(ModelFileTest, WrongShapeIsNamed) {
  EXPECT_THAT(error_after([](Draft& d) { set(d, "decoder.norm.weight", formula_tensor({15})); }),
              HasSubstr("decoder.norm.weight: wanted F32 or BF16 [16], got F32 [15]"));
  EXPECT_THAT(error_after([](Draft& d) { set(d, "source_embedding.weight", formula_tensor({20})); }),
              HasSubstr("source_embedding.weight: wanted [V, 16], got F32 [20]"));
  EXPECT_THAT(error_after([](Draft& d) {
                set(d, "source_embedding.weight", formula_tensor({0, 16}));
              }),
              HasSubstr("generator.bias"));
}

TEST_P(ModelFileTest, VocabularyMustMatchTheGenerator) {
  EXPECT_THAT(error_after([](Draft& d) {
                set(d, "source_embedding.weight", formula_tensor({21, 16}));
              }),
              HasSubstr("generator.bias: wanted F32 or BF16 [21], got F32 [20]"));
}

TEST_P(ModelFileTest, ValueThatIsNotFiniteIsRefused) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
    EXPECT_THAT(error_after([&](Draft& d) {
                  auto tensor = formula_tensor({20, 16});
                  tensor[19][15] = value;
                  set(d, "source_embedding.weight", tensor);
                }),
                HasSubstr("source_embedding.weight holds values that are not finite"));
  }
}

TEST_P(ModelFileTest, ConfigErrorIsReportedAsTheFiles) {
  EXPECT_THAT(error_after([](Draft& d) { set_config(d, "heads", 5); }),
              HasSubstr("config: model.heads: wanted a divisor"));
  EXPECT_THAT(error_after([](Draft& d) { set_config(d, "heds", 4); }), HasSubstr("config: model.heds: unknown key"));
  EXPECT_THAT(error_after([](Draft& d) { set_config(d, "norm", "both"); }), HasSubstr("config: model.norm"));
  EXPECT_THAT(error_after([](Draft& d) { d.metadata["config"] = "{"; }), HasSubstr("config: "));
  EXPECT_THAT(error_after([](Draft& d) { d.metadata["config"] = "[]"; }), HasSubstr("config: wanted an object"));
  EXPECT_THAT(error_after([](Draft& d) { d.metadata["provenance"] = "5"; }), HasSubstr("provenance: wanted an object"));
  EXPECT_THAT(error_after([](Draft& d) { d.metadata["config"] = R"({"model": 5})"; }),
              HasSubstr("config: model: wanted an object"));
}

// The claimed sizes are a terabyte and 33 gigabytes.
TEST_P(ModelFileTest, SizesAreCheckedBeforeAllocating) {
  EXPECT_THAT(error_after([](Draft& d) {
                set_config(d, "d_model", 1 << 17);
                set_config(d, "d_ff", 1 << 17);
                set_config(d, "encoder_layers", 20);
              }),
              HasSubstr("source_embedding.weight: wanted [V, 131072]"));
  EXPECT_THAT(error_after([](Draft& d) {
                set_config(d, "d_ff", 1 << 17);
                set_config(d, "encoder_layers", 1000);
                set_config(d, "decoder_layers", 1000);
              }),
              HasSubstr("wanted F32 or BF16 [131072"));
}

TEST_P(ModelFileTest, TokenizerIsPartOfTheModel) {
  EXPECT_THAT(error_after([](Draft& d) { d.tensors.erase("tokenizer.model"); }),
              HasSubstr("wanted tokenizer.model, or"));
  EXPECT_THAT(error_after([](Draft& d) { d.tensors["source_tokenizer.model"] = d.tensors["tokenizer.model"]; }),
              HasSubstr("got 2 tokenizers"));
}

TEST_P(ModelFileTest, MissingFileIsAnIoError) { EXPECT_THROW(read_model_file(folder_ / "none", device()), IoError); }

INSTANTIATE_DEVICES(ModelFileTest);

}  // namespace
}  // namespace gloss
