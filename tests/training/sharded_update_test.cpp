// Updates of batches that are cut into shards, by any number of workers.

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "model/fast/matrix_product.h"
#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/training/toy_run.h"
#include "training/batch_loss.h"
#include "training/update.h"

namespace gloss {
namespace {

using Weights = std::map<std::string, at::Tensor>;

class ShardedUpdateTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_determinism(1);
  }

  Batch rows(std::int64_t first, std::int64_t count) const {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    std::iota(indices.begin(), indices.end(), first);
    return toy_.corpus().batch(indices);
  }

  /// The weights after `updates` updates of two batches each.
  Weights trained(const ModelConfig& config, std::int64_t workers_count, UpdateOptions options,
                  std::int64_t updates = 2) {
    auto model = make_model(config, {12, 12}, RandomStream(1, "weights"));
    model->to(device());
    Workers workers(workers_count);
    Adam adam(named_parameters(model), {}, Adam::Path::kFastest, &workers);
    options.learning_rate = 0.01;
    for (options.step = 1; options.step <= updates; ++options.step) {
      const std::vector batches{rows(options.step, 7), rows(10 + options.step, 9)};
      result_ = update_weights(model, adam, workers, batches, RandomStream(1, "dropout"), options);
      EXPECT_TRUE(result_.applied);
    }
    return weights_of(model);
  }

  static void expect_equal(const Weights& found, const Weights& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (const auto& [name, weight] : wanted) EXPECT_TRUE(found.at(name).equal(weight)) << name;
  }

  Toy toy_{{.pairs = 30}, device()};
  UpdateResult result_;
};

TEST_P(ShardedUpdateTest, WeightsDoNotDependOnTheWorkers) {
  if (!device().is_cpu()) GTEST_SKIP() << "a GPU computes a batch as a whole";
  for (const auto& config : all_networks()) {
    SCOPED_TRACE(describe(config));
    for (const bool plain : {false, true}) {
      const UpdateOptions options{.label_smoothing = 0.1, .shards = 4, .plain = plain};
      const auto wanted = trained(config, 1, options);
      const auto wanted_norm = result_.gradient_norm, wanted_nll = result_.nll_sum;
      expect_equal(trained(config, 3, options), wanted);
      EXPECT_EQ(result_.gradient_norm, wanted_norm);
      EXPECT_EQ(result_.nll_sum, wanted_nll);
    }
  }
}

TEST_P(ShardedUpdateTest, NorDoTheyWithMoreWorkersThanShards) {
  if (!device().is_cpu()) GTEST_SKIP() << "a GPU computes a batch as a whole";
  const UpdateOptions options{.shards = 4};
  const auto wanted = trained(small_config(), 1, options, /*updates=*/10);
  for (const std::int64_t workers : {2, 4, 20}) expect_equal(trained(small_config(), workers, options, 10), wanted);
}

TEST_P(ShardedUpdateTest, NorDoTheyInBfloat16) {
  if (!device().is_cpu()) GTEST_SKIP() << "a GPU computes a batch as a whole";
  if (!has_bfloat16_products()) GTEST_SKIP() << "this processor has no products of bfloat16";
  UpdateOptions options{.shards = 4};
  const auto exact = trained(small_config(), 2, options);
  options.precision = Precision::kBfloat16;
  const auto wanted = trained(small_config(), 1, options);
  EXPECT_FALSE(wanted.at("generator.bias").equal(exact.at("generator.bias"))) << "nothing was rounded";
  for (const std::int64_t workers : {2, 5}) expect_equal(trained(small_config(), workers, options), wanted);
}

TEST_P(ShardedUpdateTest, ShardsHaveTheGradientOfTheBatch) {
  auto config = small_config();
  config.dropout = 0;
  const auto whole = trained(config, 1, {.label_smoothing = 0.1}, /*updates=*/1);
  const auto of_whole = result_;
  for (const std::int64_t shards : {2, 4, 20}) {  // the last: more than sentences
    trained(config, 2, {.label_smoothing = 0.1, .shards = shards}, 1);
    EXPECT_EQ(result_.tokens, of_whole.tokens) << shards;
    EXPECT_NEAR(result_.nll_sum, of_whole.nll_sum, 1e-4) << shards;
    EXPECT_NEAR(result_.gradient_norm, of_whole.gradient_norm, 1e-6) << shards;
  }
}

TEST_P(ShardedUpdateTest, OneShardHasTheBitsOfOneThreadThatAccumulatesGradients) {
  at::set_num_threads(1);
  for (const auto& config : all_networks()) {
    SCOPED_TRACE(describe(config));
    auto model = make_model(config, {12, 12}, RandomStream(1, "weights"));
    model->to(device());
    Adam adam(named_parameters(model), {});
    for (std::int64_t step = 1; step <= 2; ++step) {
      model->zero_grad();
      std::int64_t tokens = 0;
      BatchStatistics statistics;
      for (const auto& [index, batch] : {std::pair(0U, rows(step, 7)), std::pair(1U, rows(10 + step, 9))}) {
        const auto random = RandomStream(1, "dropout").at(static_cast<std::uint32_t>(step), index);
        auto loss = batch_loss(model, batch, 0.1, {.training = true, .random = &random});
        loss.smoothed_sum.backward();
        tokens += loss.tokens;
        statistics.append(std::move(loss.statistics));
      }
      Gradients gradients;
      for (const auto& parameter : adam.trained()) gradients.push_back(parameter.grad());
      const auto per_token = 1.0 / static_cast<double>(tokens);
      const auto norm = adam.set_gradients(std::move(gradients)).item<double>() * per_token;
      adam.step({.step = step, .learning_rate = 0.01, .gradient_factor = per_token * clip_factor(norm, 0.5)});
      statistics.update_running();
    }
    expect_equal(trained(config, 2, {.label_smoothing = 0.1, .clip_norm = 0.5, .shards = 1}), weights_of(model));
  }
}

TEST_P(ShardedUpdateTest, ShardsHaveDifferentDropout) {
  if (!device().is_cpu()) GTEST_SKIP() << "a GPU computes a batch as a whole";
  auto config = small_config();
  config.dropout = 0.3;
  auto model = make_model(config, {12, 12}, RandomStream(1, "weights"));
  Workers workers(2);
  Adam adam(named_parameters(model), {});
  Batch batch = rows(0, 1);
  for (const auto side : {&Batch::source, &Batch::target}) {
    const auto sentence = (batch.*side).front();
    (batch.*side).assign(2, sentence);
  }
  const auto nll = [&](const std::vector<Batch>& batches, std::int64_t shards) {
    return update_weights(model, adam, workers, batches, RandomStream(1, "dropout"), {.shards = shards}).nll_sum;
  };
  const double one = nll({rows(0, 1)}, 1), two_batches = nll({rows(0, 1), rows(0, 1)}, 1);
  EXPECT_NE(nll({batch}, 2), 2 * one);
  EXPECT_EQ(nll({batch}, 2), two_batches) << "the second shard draws as a second batch of one shard does";
}

INSTANTIATE_DEVICES(ShardedUpdateTest);

}  // namespace
}  // namespace gloss
