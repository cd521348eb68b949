#include "training/update.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "model/padding.h"
#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/support/recorded_operations.h"
#include "tests/training/toy_run.h"
#include "training/batch_loss.h"

namespace gloss {
namespace {

double largest_difference(const EncoderDecoder& a, const EncoderDecoder& b) {
  double largest = 0;
  const auto of_b = weights_of(b);
  for (const auto& [name, weight] : weights_of(a))
    largest = std::max(largest, (weight - of_b.at(name)).abs().max().item<double>());
  return largest;
}

class UpdateTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_determinism(1);
  }

  Batch rows(std::initializer_list<std::int64_t> indices) const {
    return toy_.corpus().batch(std::vector<std::int64_t>(indices));
  }
  /// Returns `rows` whose first pieces are linked.
  Batch linked_rows(std::initializer_list<std::int64_t> indices) const {
    auto batch = rows(indices);
    batch.links.assign(batch.source.size(), {.source = {0}, .target = {0}});
    return batch;
  }

  // Fresh weights after one update that is nearly plain gradient descent: with epsilon 1 Adam's first step is
  // g / (|g| + 1), which does not amplify rounding if a gradient is zero.
  EncoderDecoder updated(const std::vector<Batch>& batches, UpdateOptions options = {.learning_rate = 1}) {
    TrainingConfig config;
    config.epsilon = 1;
    auto model = toy_.model();
    Adam adam(named_parameters(model), config);
    result_ = update_weights(model, adam, workers_, batches, RandomStream(1, "dropout"), options);
    return model;
  }

  Workers workers_{1};
  Toy toy_{{.pairs = 30, .dropout = 0}, device()};
  UpdateResult result_;
};

TEST_P(UpdateTest, MicroBatchesEqualOneBatch) {
  // The batches differ in sentences, lengths and tokens, so that any other weighting than by tokens shows.
  const auto whole = updated({rows({0, 1, 2, 3, 4, 5, 6, 7})});
  const auto whole_result = result_;
  const auto parts = updated({rows({0, 1, 2, 3, 4}), rows({5}), rows({6, 7})});
  EXPECT_LT(largest_difference(whole, parts), 2e-6);
  EXPECT_EQ(result_.tokens, whole_result.tokens);
  EXPECT_NEAR(result_.nll_sum, whole_result.nll_sum, 1e-4);
  EXPECT_NEAR(result_.gradient_norm, whole_result.gradient_norm, 1e-5);
  EXPECT_GT(largest_difference(whole, toy_.model()), 1e-2);
}

TEST_P(UpdateTest, GradientIsOfTheMeanOverTheTokens) {
  auto model = toy_.model();
  const auto batch = rows({0, 1, 2});
  const Loss loss = batch_loss(model, batch, 0.1, {});
  (loss.smoothed_sum / static_cast<double>(loss.tokens)).backward();
  double squares = 0;
  for (const auto& parameter : model->parameters()) squares += parameter.grad().square().sum().item<double>();
  updated({batch}, {.learning_rate = 1, .label_smoothing = 0.1});
  EXPECT_NEAR(result_.gradient_norm, std::sqrt(squares), 1e-5);
}

TEST_P(UpdateTest, APlainUpdateIsThatOfTheFastTwinsToRounding) {
  toy_ = Toy({.pairs = 30, .dropout = 0.3}, device());
  if (!device().is_cpu()) GTEST_SKIP() << "LibTorch draws other elements to drop there";
  UpdateOptions options{.step = 3, .learning_rate = 1, .label_smoothing = 0.1};
  const std::vector<Batch> batches{rows({0, 1, 2, 3, 4}), rows({5, 6})};
  const auto fast = updated(batches, options);
  const auto fast_result = result_;
  options.plain = true;
  const auto plain = updated(batches, options);
  EXPECT_LT(largest_difference(fast, plain), 2e-6);
  EXPECT_NEAR(result_.nll_sum, fast_result.nll_sum, 1e-3);
  EXPECT_NEAR(result_.gradient_norm, fast_result.gradient_norm, 1e-5);
  EXPECT_EQ(result_.tokens, fast_result.tokens);
  EXPECT_GT(largest_difference(plain, toy_.model()), 1e-2);
}

TEST_P(UpdateTest, ClippingBoundsTheStep) {
  updated({rows({0, 1})}, {.learning_rate = 1});
  ASSERT_GT(result_.gradient_norm, 0.02);
  const double norm = result_.gradient_norm;
  const auto clipped = updated({rows({0, 1})}, {.learning_rate = 1, .clip_norm = 0.01});
  EXPECT_NEAR(result_.gradient_norm, norm, 1e-6) << "the norm is told as it was before clipping";
  EXPECT_LT(largest_difference(clipped, toy_.model()), 0.0101);
}

TEST_P(UpdateTest, DropoutIsDrawnByStepAndMicroBatch) {
  const Toy toy({.pairs = 30, .dropout = 0.3}, device());
  const auto batch = toy.corpus().batch(std::vector<std::int64_t>{0, 1});
  const auto after = [&](std::int64_t step, std::size_t batches) {
    auto model = toy.model();
    Adam adam(named_parameters(model), {});
    return update_weights(model, adam, workers_, std::vector<Batch>(batches, batch), RandomStream(1, "dropout"),
                          {.step = step})
        .nll_sum;
  };
  EXPECT_EQ(after(1, 1), after(1, 1));
  EXPECT_NE(after(1, 1), after(2, 1));
  EXPECT_NE(after(1, 2), 2 * after(1, 1)) << "two micro-batches of one update have the same mask";
}

TEST_P(UpdateTest, HostWaitsForAGpuOnceAtTheEnd) {
  if (device().is_cpu() || kGpu != "stand_in") GTEST_SKIP() << "the stand-in device counts waits";
  struct Case {
    NormType norm_type;
    double dropout, ema_decay;
    Precision precision;
    Int8Scales int8 = Int8Scales::kNone;
  };
  for (const auto& each :
       {Case{NormType::kLayer, 0, 0, Precision::kFloat32}, Case{NormType::kBatch, 0, 0, Precision::kFloat32},
        Case{NormType::kLayer, 0.3, 0.9, Precision::kBfloat16},
        Case{NormType::kLayer, 0, 0, Precision::kFloat32, Int8Scales::kMatrix}}) {
    const Toy toy({.pairs = 30, .dropout = each.dropout, .norm_type = each.norm_type}, device());
    TrainingConfig config;
    config.ema_decay = each.ema_decay;
    auto model = toy.model();
    Adam adam(named_parameters(model), config);
    const std::vector batches{linked_rows({0, 1, 2}), linked_rows({3})};
    std::vector<PaddedBatch> padded;
    std::int64_t copies = 0, copies_of_padding = 0;
    const auto update = [&](std::int64_t step, const std::vector<PaddedBatch>& now) {
      reset_stand_in_counts();
      update_weights(model, adam, workers_, batches, RandomStream(1, "dropout"),
                     {.step = step,
                      .learning_rate = 1,
                      .label_smoothing = 0.1,
                      .clip_norm = 1,
                      .precision = each.precision,
                      .int8 = each.int8,
                      .guided = {.weight = 0.1},
                      .padded = now,
                      .meanwhile = [&] {
                        copies = stand_in_counts().to_device;
                        padded.clear();
                        for (const auto& batch : batches)
                          padded.push_back(pad_own_shard(batch, device(), no_exchange()));
                        copies_of_padding = stand_in_counts().to_device - copies;
                        EXPECT_TRUE(step == 1 || stand_in_counts().synchronizations == 0);
                      }});
    };
    update(1, {});
    update(2, {});
    const auto copies_before = copies;
    update(3, std::exchange(padded, {}));
    EXPECT_EQ(copies, copies_before - copies_of_padding);
    EXPECT_GE(copies_of_padding, 10) << "sources, inputs, labels, links and their weights of two batches";
    EXPECT_EQ(stand_in_counts().synchronizations, 1) << "for loss and norm";
    EXPECT_EQ(stand_in_counts().to_host, 1);
    EXPECT_EQ(padded.size(), batches.size());
  }
}

TEST_P(UpdateTest, BatchesPaddedAheadGiveTheSameBits) {
  if (device().is_cpu()) GTEST_SKIP() << "a GPU works while the next batch is padded";
  const std::vector batches{linked_rows({0, 1, 2}), linked_rows({3}), linked_rows({4, 5})};
  UpdateOptions options{.learning_rate = 1, .guided = {.weight = 1}};
  const auto wanted = updated(batches, options);
  const std::vector padded{pad_own_shard(batches[0], device(), no_exchange()),
                           pad_own_shard(batches[1], device(), no_exchange())};
  options.padded = padded;
  EXPECT_EQ(largest_difference(updated(batches, options), wanted), 0);
  EXPECT_NE(largest_difference(updated(batches), wanted), 0) << "without the links";
}

TEST_P(UpdateTest, BrokenGradientChangesNothing) {
  auto model = toy_.model();
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["generator.bias"].fill_(std::nan(""));
  }
  const auto before = weights_of(model);
  Adam adam(named_parameters(model), {});
  const auto result =
      update_weights(model, adam, workers_, std::vector{rows({0})}, RandomStream(1, "dropout"), {.learning_rate = 1});
  EXPECT_FALSE(result.applied);
  for (const auto& [name, weight] : weights_of(model))
    EXPECT_TRUE(weight.equal(before.at(name)) || name == "generator.bias");
  for (const Adam::Slot& slot : adam.slots()) {
    EXPECT_EQ(slot.m.abs().max().item<double>(), 0) << slot.name;
  }
}

TEST_P(UpdateTest, BatchNormsKeepTheStatisticsOfUpdatesThatCount) {
  const Toy toy({.pairs = 30, .norm_type = NormType::kBatch}, device());
  const std::vector<std::int64_t> first{0, 1}, second{2, 3};
  const std::vector batches{toy.corpus().batch(first), toy.corpus().batch(second)};
  const auto is_running = [](const std::string& name) { return name.find(".running_") != name.npos; };
  for (const bool broken : {false, true}) {
    auto model = toy.model();
    const at::NoGradGuard no_grad;
    if (broken) model->named_parameters()["generator.bias"].fill_(std::nan(""));
    const auto before = weights_of(model);
    Adam adam(named_parameters(model), {});
    UpdateResult result;
    {
      const at::AutoGradMode records(true);
      result = update_weights(model, adam, workers_, batches, RandomStream(1, "dropout"), {.learning_rate = 1e-3});
    }
    EXPECT_EQ(result.applied, !broken);
    std::size_t statistics = 0;
    for (const auto& [name, weight] : weights_of(model)) {
      if (!is_running(name)) continue;
      ++statistics;
      EXPECT_EQ(weight.equal(before.at(name)), broken) << name;
    }
    EXPECT_EQ(statistics, 2U * 7U);  // mean and variance of five norms of sublayers and two final ones
    if (broken) continue;
    // The first norm of the encoder reads embeddings and positions: its mean after two micro-batches, by hand.
    auto fresh = toy.model();
    auto wanted = at::zeros({16}, at::device(device()));
    for (const auto& batch : batches) {
      const auto source = pad(batch.source, device());
      const auto x = fresh->named_parameters()["source_embedding.weight"].index({source.ids}) * 4 +
                     PositionalEncoding(16)(0, source.ids.size(1), device());  // [B, S, 16]
      std::vector<at::Tensor> rows;
      for (std::size_t b = 0; b < source.lengths.size(); ++b)
        rows.push_back(x[static_cast<std::int64_t>(b)].narrow(0, 0, source.lengths[b]));
      wanted = 0.9 * wanted + 0.1 * at::cat(rows).mean(0);
    }
    const auto mean = model->named_parameters()["encoder.layers.0.self_attention_norm.running_mean"];
    EXPECT_LT((mean - wanted).abs().max().item<double>(), 1e-6);
  }
}

// Tensors of other types take the path of a GPU.
TEST_P(UpdateTest, ByPlainOperationsTheStepIsTheSame) {
  const std::vector<Batch> batches = {rows({0, 1, 2, 3}), rows({4, 5})};
  const UpdateOptions options{.learning_rate = 1, .label_smoothing = 0.1};
  const auto wanted = updated(batches, options);
  TrainingConfig config;
  config.epsilon = 1;
  auto model = toy_.model();
  model->to(at::kDouble);
  Adam adam(named_parameters(model), config);
  const auto result = update_weights(model, adam, workers_, batches, RandomStream(1, "dropout"), options);
  EXPECT_TRUE(result.applied);
  EXPECT_LT(largest_difference(model, wanted), 2e-6);
  EXPECT_EQ(result.tokens, result_.tokens);
  EXPECT_NEAR(result.nll_sum, result_.nll_sum, 1e-4);
  EXPECT_NEAR(result.gradient_norm, result_.gradient_norm, 1e-5);
}

// Reading a single number waits for a GPU.
TEST_P(UpdateTest, UntilTheStepNoSingleNumberIsRead) {
  auto model = toy_.model();
  model->to(at::kDouble);
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["generator.bias"].fill_(std::nan(""));  // so that there is no step
  }
  Adam adam(named_parameters(model), {});
  const RecordedOperations operations;
  const auto result = update_weights(model, adam, workers_, std::vector{rows({0, 1}), rows({2, 3})},
                                     RandomStream(1, "dropout"), {.learning_rate = 1});
  EXPECT_FALSE(result.applied);
  EXPECT_FALSE(operations.has("aten::_local_scalar_dense"));
}

TEST_P(UpdateTest, TiedWeightsReachTheOptimizerOnce) {
  for (const auto& [tied, embeddings] :
       {std::pair{TieEmbeddings::kAll, 1}, {TieEmbeddings::kDecoder, 2}, {TieEmbeddings::kNone, 3}}) {
    const Toy toy({.pairs = 5, .tie_embeddings = tied}, device());
    const auto model = toy.model();
    const Adam adam(named_parameters(model), {});
    std::set<const void*> storages;
    int matrices = 0;
    for (const Adam::Slot& slot : adam.slots()) {
      EXPECT_TRUE(storages.insert(slot.parameter.data_ptr()).second) << slot.name;
      matrices += slot.parameter.dim() == 2 && slot.parameter.size(0) == 12;
    }
    EXPECT_EQ(matrices, embeddings);
    EXPECT_TRUE(storages.contains(model->generator()->weight().data_ptr()));
  }
}

INSTANTIATE_DEVICES(UpdateTest);

}  // namespace
}  // namespace gloss
