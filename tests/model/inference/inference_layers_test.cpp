#include "model/inference/inference_layers.h"

#include <set>

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "common/system/machine.h"
#include "model/inference/inference_model.h"
#include "model/storage/model_file.h"
#include "tests/support/sanitizers.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

constexpr WeightPrecision kPrecisions[] = {WeightPrecision::kFloat32, WeightPrecision::kBfloat16,
                                           WeightPrecision::kInt8};

void write(const std::filesystem::path& path, const EncoderDecoder& model, const ModelConfig& config,
           WeightPrecision precision, const std::map<std::string, float>& input_scales = {}) {
  write_model_file(
      path, model,
      {{{"model", to_json(config)}, {"seed", 1}}, Json::object(), {{"tokenizer.model", "p"}}, input_scales}, precision);
}

/// Different input scales for all matrices.
std::map<std::string, float> some_input_scales(const EncoderDecoder& model) {
  std::map<std::string, float> scales;
  for (const auto& item : model->named_parameters())
    if (item.value().dim() == 2) scales[item.key()] = 0.01F + 0.001F * static_cast<float>(scales.size());
  return scales;
}

/// Logits of a few steps.
std::vector<at::Tensor> logits_of(const InferenceModel& model) {
  auto state = model.start(pad(small_sources(), at::kCPU));
  std::vector<at::Tensor> logits;
  for (const Ids& tokens : {Ids{2, 2, 2}, Ids{5, 19, 7}, Ids{4, 4, 11}})
    logits.push_back(model.logits(model.step(state, tokens, std::nullopt).x).logits);
  return logits;
}

// A network holds what a file stores after it was expanded to float32.
TEST(InferenceWeightsTest, PackedFromTheFileTheyHaveTheBitsOfThosePackedFromTheNetwork) {
  const TemporaryFolder folder;
  for (const auto& config : all_combinations())
    for (const auto stored : kPrecisions) {
      write(folder / "model", small_model(at::kCPU, config), config, stored);
      const auto file = open_model_file(SafetensorsFile::open_in_place(folder / "model"), at::kCPU);
      for (const auto precision : kPrecisions) {
        const auto from_file = logits_of(InferenceModel(file.model, config, precision));
        const auto from_network = logits_of(InferenceModel(file.model.network(), config, precision));
        for (std::size_t step = 0; step < from_file.size(); ++step)
          EXPECT_TRUE(at::equal(from_file[step], from_network[step]))
              << describe(config) << weight_precision_name(stored) << " as " << weight_precision_name(precision);
      }
    }
}

// The weights of a network with a cache are packed once; then they are mapped, and only positions are read.
TEST(InferenceWeightsTest, MappedFromTheCacheTheyHaveTheBitsOfPackedOnes) {
  const TemporaryFolder folder;
  const UserCache cache({.folder = folder / "cache", .limit = 1 << 28, .min_size = 0});
  auto configs = all_combinations();
  configs.push_back(marian_student());
  for (const auto& config : configs)
    for (const auto stored : {WeightPrecision::kFloat32, WeightPrecision::kInt8}) {
      const auto network = small_model(at::kCPU, config);
      write(folder / "model", network, config, stored, some_input_scales(network));
      auto file = open_model_file(SafetensorsFile::open_in_place(folder / "model"), at::kCPU);
      for (const auto precision : kPrecisions) {
        const auto without = logits_of(InferenceModel(file.model, config, precision));
        auto with = file.model;
        with.cache = cache;
        const auto packed = logits_of(InferenceModel(with, config, precision));
        with.weights = [&](const std::string& name) {
          EXPECT_TRUE(name.ends_with("positions.weight")) << name << " is read";
          return file.model.weights(name);
        };
        const auto mapped = logits_of(InferenceModel(with, config, precision));
        for (std::size_t step = 0; step < mapped.size(); ++step) {
          EXPECT_TRUE(at::equal(packed[step], without[step])) << describe(config);
          EXPECT_TRUE(at::equal(mapped[step], without[step])) << describe(config);
        }
      }
    }
}

TEST(InferenceWeightsTest, EveryInputScaleCounts) {
  const TemporaryFolder folder;
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kNone}) {
    auto config = marian_student();
    config.tie_embeddings = tie;
    const auto network = small_model(at::kCPU, config);
    const auto scales = some_input_scales(network);
    const auto logits = [&](const std::map<std::string, float>& given) {
      write(folder / "model", network, config, WeightPrecision::kInt8, given);
      const auto file = open_model_file(SafetensorsFile::open_in_place(folder / "model"), at::kCPU);
      return at::cat(logits_of(InferenceModel(file.model, config, WeightPrecision::kInt8)));
    };
    const auto expected = logits(scales);
    for (const auto& [name, scale] : scales) {
      const bool is_looked_up = tie == TieEmbeddings::kNone && name.ends_with("_embedding.weight");  // not multiplied
      auto others = scales;
      others.erase(name);
      EXPECT_EQ(at::equal(logits(others), expected), is_looked_up) << name;
    }
  }
}

TEST(InferenceWeightsTest, TheCacheDistinguishesFilesPrecisionsAndInstructionSets) {
  using kernels::InstructionSet;
  std::set<std::string> keys;
  for (const auto* sum : {"a", "b"})
    for (const auto precision : kPrecisions)
      for (const auto set : kernels::kInstructionSets) keys.insert(packed_key(sum, precision, set));
  EXPECT_EQ(keys.size(), 2 * 3 * kernels::kInstructionSets.size());
}

TEST(InferenceWeightsTest, EmbeddingsKeepTheStoredPrecision) {
  const TemporaryFolder folder;
  const at::ScalarType types[] = {at::kFloat, at::kBFloat16, at::kChar};
  for (std::size_t i = 0; i < 3; ++i) {
    write(folder / "model", small_model(at::kCPU), small_config(), kPrecisions[i]);
    const auto file = open_model_file(SafetensorsFile::open_in_place(folder / "model"), at::kCPU);
    const auto weights = inference_weights(file.model, small_config(), WeightPrecision::kInt8);
    EXPECT_EQ(weights.source_embedding.values.scalar_type(), types[i]);
    EXPECT_EQ(weights.target_embedding.values.data_ptr(), weights.source_embedding.values.data_ptr());
  }
}

// 16 million weights, of which 1.5 million are an embedding that stays beside the generator's panels.
TEST(InferenceWeightsTest, PackingAnInt8FileTakesLittleMoreMemoryThanTheFile) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer keeps freed memory";
  const TemporaryFolder folder;
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  write(folder / "model", make_uninitialized_model(config, {3000, 3000}), config, WeightPrecision::kInt8);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(folder / "model"));
  ASSERT_GT(size, 14'000'000);
  const auto resident = [] {
    ::malloc_trim(0);
    return static_cast<std::int64_t>(size_in_proc("/proc/self/status", "RssAnon:").value_or(0));
  };
  const auto before = resident();
  const auto file = open_model_file(SafetensorsFile::open_in_place(folder / "model"), at::kCPU);
  const InferenceModel model(file.model, config, WeightPrecision::kInt8);
  EXPECT_LT(resident() - before, size * 3 / 2) << "a float32 copy would take 4 times the file";
  const auto network = file.model.network();
  EXPECT_GT(resident() - before, size * 3) << "the test measures nothing";
}

}  // namespace
}  // namespace gloss
