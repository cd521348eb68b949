#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/make_model.h"
#include "tensor/runtime.h"
#include "tests/model/golden/golden_case.h"
#include "tests/support/device_test.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"
#include "tests/training/toy_run.h"
#include "training/batch_loss.h"
#include "training/update.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class GuidedAlignmentTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_determinism(1);
  }

  static Batch golden_batch() {
    return {.source = golden_sources(),
            .target = golden_targets(),
            .links = {{.source = {0, 1, 3, 3}, .target = {0, 0, 0, 1}}, {}, {.source = {0, 0}, .target = {1, 2}}}};
  }
  ModelConfig golden_config() const {
    ModelConfig config;
    config.encoder_layers = config.decoder_layers = 2;
    config.d_model = 8;
    config.d_ff = 12;
    config.heads = 2;
    config.dropout = 0;
    return config;
  }
};

TEST_P(GuidedAlignmentTest, LossAndGradientAreThoseOfPyTorch) {
  const Golden golden("guided_alignment_golden.safetensors");
  for (const auto& [name, guided] : {std::pair("last_layer", GuidedAlignment{.weight = 0.5, .layer = 1, .head = 0}),
                                     std::pair("first_layer", GuidedAlignment{.weight = 2, .layer = 0, .head = 1})}) {
    for (const bool plain : {false, true}) {
      SCOPED_TRACE(std::string(name) + (plain ? ", plain" : ""));
      auto model = make_model(golden_config(), {11, 11}, RandomStream(1, "weights"));
      const auto weights = set_named_weights(*model, "", device());
      const auto loss = batch_loss(model, golden_batch(), 0.1, {.plain = plain}, guided);
      expect_golden(golden, std::string("guided_alignment.") + name, loss.smoothed_sum.to(at::kFloat), weights);
    }
  }
}

TEST_P(GuidedAlignmentTest, ALinkedPieceIsOneTermHoweverManyLinksItHas) {
  const auto weights = at::full({1, 2, 4}, 0.25, device());
  const auto batch = [&](const Links& links) {
    return pad_batch({.source = {{5, 6, 7, kEos}}, .target = {{5, kEos}}, .links = {links}}, device());
  };
  const auto loss = [&](const Links& links) { return guided_alignment_loss(weights, batch(links)).item<double>(); };
  EXPECT_FALSE(batch({}).links.defined());
  EXPECT_NEAR(loss({.source = {2}, .target = {0}}), -std::log(0.25), 1e-5);
  EXPECT_NEAR(loss({.source = {0, 1, 3}, .target = {0, 0, 0}}), -std::log(0.25), 1e-5);
  EXPECT_NEAR(loss({.source = {0, 1}, .target = {0, 1}}), -2 * std::log(0.25), 1e-5);
  EXPECT_THAT([&] { guided_alignment_loss(weights.squeeze(0), batch({.source = {2}, .target = {0}})); },
              ThrowsMessage<ShapeError>(HasSubstr("weights")));
}

TEST_P(GuidedAlignmentTest, TheReportedLossIsWithoutIt) {
  auto model = make_model(golden_config(), {11, 11}, RandomStream(1, "weights"));
  model->to(device());
  const auto with = batch_loss(model, golden_batch(), 0.1, {}, {.weight = 1}),
             without = batch_loss(model, golden_batch(), 0.1, {});
  EXPECT_GT(with.smoothed_sum.item<double>(), without.smoothed_sum.item<double>() + 1);
  EXPECT_EQ(with.nll_sum.item<double>(), without.nll_sum.item<double>());
}

TEST_P(GuidedAlignmentTest, OnlyTheHeadLeavesTheFastPath) {
  if (!device().is_cpu()) GTEST_SKIP() << "the kernel of all heads is for the CPU";
  auto model = make_model(golden_config(), {11, 11}, RandomStream(1, "weights"));
  const auto softmaxes = [&](const GuidedAlignment& guided) {
    const RecordedOperations operations;
    batch_loss(model, golden_batch(), 0.1, {}, guided);
    return operations.has("aten::softmax");
  };
  EXPECT_FALSE(softmaxes({}));
  EXPECT_TRUE(softmaxes({.weight = 1}));
}

/// Updates of a copy task whose links are the diagonal.
class GuidedUpdateTest : public GuidedAlignmentTest {
 protected:
  Batch batch(std::int64_t first) const {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < 9; ++i) rows.push_back(first + i);
    auto batch = toy_.corpus().batch(rows);
    for (const auto& target : batch.target) {
      auto& links = batch.links.emplace_back();
      for (Id t = 0; t + 1 < std::ssize(target); ++t) {
        links.source.push_back(t);
        links.target.push_back(t);
      }
    }
    return batch;
  }
  std::map<std::string, at::Tensor> trained(const ModelConfig& config, std::int64_t workers_count,
                                            UpdateOptions options) const {
    auto model = make_model(config, {12, 12}, RandomStream(1, "weights"));
    model->to(device());
    Workers workers(workers_count);
    Adam adam(named_parameters(model), {}, Adam::Path::kFastest, &workers);
    options.learning_rate = 0.01;
    options.label_smoothing = 0.1;
    for (options.step = 1; options.step <= 3; ++options.step)
      EXPECT_TRUE(update_weights(model, adam, workers, std::vector{batch(options.step), batch(10 + options.step)},
                                 RandomStream(1, "dropout"), options)
                      .applied);
    return weights_of(model);
  }

  Toy toy_{{.pairs = 30}, device()};
};

TEST_P(GuidedUpdateTest, WeightsDoNotDependOnTheWorkers) {
  if (!device().is_cpu()) GTEST_SKIP() << "a GPU computes a batch as a whole";
  auto recurrent = small_config();
  recurrent.decoder_layer = DecoderLayerType::kSsru;
  for (const auto& config : {small_config(), recurrent}) {
    const UpdateOptions options{.shards = 4, .guided = {.weight = 0.5}};
    const auto wanted = trained(config, 1, options), unguided = trained(config, 1, {.shards = 4});
    for (const std::int64_t workers : {2, 5}) {
      const auto found = trained(config, workers, options);
      for (const auto& [name, weight] : wanted) EXPECT_TRUE(found.at(name).equal(weight)) << name;
    }
    EXPECT_FALSE(wanted.at("decoder.layers.0.cross_attention.query.weight")
                     .equal(unguided.at("decoder.layers.0.cross_attention.query.weight")));
  }
}

INSTANTIATE_DEVICES(GuidedAlignmentTest);
INSTANTIATE_DEVICES(GuidedUpdateTest);

}  // namespace
}  // namespace gloss
