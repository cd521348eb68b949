#include "tests/stand_in/stand_in.h"

#include <thread>

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class StandInTest : public testing::Test {
 protected:
  void SetUp() override {
    use_stand_in();
    if (at::hasCUDA()) GTEST_SKIP() << "CUDA is the accelerator here";
    wait();
    reset_stand_in_counts();
  }

  static at::Device device(c10::DeviceIndex index = 0) { return {at::kPrivateUse1, index}; }
  static void wait() { at::accelerator::synchronizeDevice(0); }
  static at::Tensor on_device(at::IntArrayRef shape = {3, 4}) { return formula_tensor(shape, at::kCPU).to(device()); }
};

using StandInDeathTest = StandInTest;

TEST_F(StandInDeathTest, HostThatReadsDeviceMemoryFaults) {
  const auto x = on_device();
  const auto* const data = x.const_data_ptr<float>();
  EXPECT_DEATH(
      {
        volatile float value = data[0];
        static_cast<void>(value);
      },
      "");
  EXPECT_DEATH({ x.mutable_data_ptr<float>()[1] = 1; }, "");
  EXPECT_THAT(x.add(1).cpu(), SameAs(formula_tensor({3, 4}, at::kCPU).add(1))) << "a kernel may";
  EXPECT_DEATH(
      {
        volatile float value = data[0];
        static_cast<void>(value);
      },
      "")
      << "closed again";
}

TEST_F(StandInDeathTest, KernelOfTheCpuFaultsOnDeviceMemory) {
  const auto x = on_device();
  const auto alias = at::from_blob(x.mutable_data_ptr(), x.sizes(), at::kFloat);
  EXPECT_DEATH(alias.sum(), "");
}

TEST_F(StandInDeathTest, KernelOpensTheMemoryOfItsArgumentsOnly) {
  const auto x = on_device(), other = on_device();
  const auto alias = at::from_blob(other.mutable_data_ptr(), other.sizes(), at::kFloat);
  EXPECT_DEATH(x.add_(alias.sum()), "");
}

TEST_F(StandInTest, NewMemoryHoldsNoNumbers) {
  on_device({2048}).add(1);  // whose memory the next one has
  EXPECT_TRUE(at::empty({2048}, device()).isnan().all().item<bool>());
  EXPECT_TRUE(at::empty({5}, at::device(device()).dtype(at::kDouble)).isnan().all().item<bool>());
}

TEST_F(StandInTest, MixedDevicesThrow) {
  const auto x = on_device({4, 4}), host = formula_tensor({4, 4}, at::kCPU);
  const auto message = ThrowsMessage<c10::Error>(HasSubstr("on the same device"));
  EXPECT_THAT([&] { x.add(host); }, message);
  EXPECT_THAT([&] { host.add(x); }, message);
  EXPECT_THAT([&] { x.mm(host); }, message);
  EXPECT_THAT([&] { at::cat({x, host}); }, message);
  EXPECT_THAT([&] { x.gather(0, at::zeros({4, 4}, at::kLong)); }, message);
  EXPECT_THAT([&] { x.add(x.to(device(1))); }, message);
  EXPECT_THAT(x.mul(at::scalar_tensor(2.0)).cpu(), SameAs(host.mul(2))) << "a number may";
}

TEST_F(StandInTest, AsynchronousCopyArrivesWithTheNextWait) {
  const auto expected = formula_tensor({3, 4}, at::kCPU);
  const auto x = on_device();
  const auto copy = x.to(at::kCPU, /*non_blocking=*/true);
  x.zero_();
  EXPECT_TRUE(copy.is_pinned());
  EXPECT_TRUE(copy.isnan().all().item<bool>()) << "read too early";
  at::accelerator::synchronizeDevice(1);
  EXPECT_TRUE(copy.isnan().all().item<bool>()) << "a wait for another device";
  wait();
  EXPECT_THAT(copy, SameAs(expected));
}

TEST_F(StandInTest, SourceMustNotChangeBeforeTheCopyHasArrived) {
  const auto source = formula_tensor({3, 4}, at::kCPU).pin_memory();
  const auto first = source.to(device(), /*non_blocking=*/true);
  wait();
  source.add_(1);
  const auto second = source.to(device(), /*non_blocking=*/true);
  source.add_(1);
  EXPECT_THAT([&] { wait(); }, ThrowsMessage<c10::Error>(HasSubstr("changed before the copy had arrived")));
}

TEST_F(StandInTest, EventCoversTheCopiesBeforeIt) {
  const auto x = on_device();
  const auto stream = at::accelerator::getCurrentStream(0);
  const auto before = x.to(at::kCPU, /*non_blocking=*/true);
  c10::Event event(at::kPrivateUse1);
  event.record(stream);
  const auto after = x.to(at::kCPU, /*non_blocking=*/true);
  event.synchronize();
  EXPECT_THAT(before, SameAs(formula_tensor({3, 4}, at::kCPU)));
  EXPECT_TRUE(after.isnan().all().item<bool>());
  EXPECT_EQ(stand_in_counts().synchronizations, 2) << "the tensor's copy and the event";
}

TEST_F(StandInTest, CountsTransfersWaitsAndKernels) {
  const auto expect_counts = [](StandInCounts wanted) {
    const auto counts = stand_in_counts();
    EXPECT_EQ(counts.to_device, wanted.to_device);
    EXPECT_EQ(counts.to_host, wanted.to_host);
    EXPECT_EQ(counts.synchronizations, wanted.synchronizations);
    EXPECT_EQ(counts.kernels, wanted.kernels);
    reset_stand_in_counts();
  };
  const auto pinned = formula_tensor({3, 4}, at::kCPU).pin_memory();
  const auto x = pinned.to(device(), /*non_blocking=*/true);
  expect_counts({.to_device = 1});
  const auto y = pinned.to(device());
  expect_counts({.to_device = 1, .synchronizations = 1});
  const auto sum = x.add(y).mul(x);
  expect_counts({.kernels = 2});
  EXPECT_NE(sum[0][0].item<float>(), 7);
  expect_counts({.to_host = 1, .synchronizations = 1});
  sum.gt(0).nonzero();
  expect_counts({.to_host = 1, .synchronizations = 1, .kernels = 2});
  sum.index({at::tensor({0, 1})});
  EXPECT_GT(stand_in_counts().synchronizations, 0) << "indices on the host";
  reset_stand_in_counts();
  sum.index_put_({sum.gt(0)}, at::scalar_tensor(0.0));
  EXPECT_EQ(stand_in_counts().synchronizations, 1) << "the number of elements that a mask chooses";
  reset_stand_in_counts();
  const auto repeats = at::ones({4}, at::device(device()).dtype(at::kLong));
  at::repeat_interleave(repeats, 4);
  EXPECT_EQ(stand_in_counts().synchronizations, 0);
  at::repeat_interleave(repeats);
  EXPECT_EQ(stand_in_counts().synchronizations, 1) << "the length of the result";
  x.abs().multinomial(1);
  EXPECT_EQ(stand_in_counts().synchronizations, 2) << "a check of the probabilities";
  formula_tensor({3, 4}, at::kCPU).to(device(), /*non_blocking=*/true);
  EXPECT_EQ(stand_in_counts().synchronizations, 3) << "memory that is not pinned";
  reset_stand_in_counts();
  sum.cpu();
  expect_counts({.to_host = 1, .synchronizations = 1});
}

TEST_F(StandInTest, ValueInTheMiddleOfAnUpdateIsAWait) {
  const auto update = [&](bool looks) {
    auto weight = on_device().requires_grad_();
    reset_stand_in_counts();
    const auto loss = weight.square().sum();
    if (looks) {
      EXPECT_GE(loss.item<float>(), 0);
    }
    loss.backward();
    weight.data().sub_(weight.grad(), 0.1);
    return stand_in_counts().synchronizations;
  };
  EXPECT_EQ(update(false), 0);
  EXPECT_EQ(update(true), 1);
}

TEST_F(StandInTest, ResultsAreThoseOfTheCpu) {
  const auto on = [](at::Device at) {
    const auto x = formula_tensor({2, 3, 4}, at::kCPU).to(at);
    std::vector<at::Tensor> results;
    const auto add = [&](const at::Tensor& result) { results.push_back(result.clone().cpu()); };
    add(x.transpose(0, 2).contiguous().view({4, 6}).mm(x.view({6, 4})));
    add(std::get<1>(x.topk(2)));
    add(x.argsort(-1, /*descending=*/true).to(at::kFloat).cumsum(0));
    add(at::arange(7, at::device(at)).remainder(3));
    auto view = x.select(1, 1);
    view.add_(view);
    add(x.masked_fill(x.gt(0), 3));
    add(at::cat({x.narrow(2, 0, 2), x.narrow(2, 1, 3)}, 2).index_select(0, at::tensor({1, 0, 1}).to(at)));
    auto grown = at::empty({0}, x.options());
    at::add_out(grown, x, x);
    add(grown);
    add(grown.resize_({2, 2}));
    add(std::get<0>(x.split({1, 3}, 2)[1].unbind(0)[1].max(0)));
    return results;
  };
  const auto found = on(device()), wanted = on(at::kCPU);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_THAT(found[i], SameAs(wanted[i])) << "result " << i;
}

TEST_F(StandInTest, AttentionAndItsGradientsAreThoseOfTheEquations) {
  const auto on = [](at::Device at, bool causal, bool masked) {
    std::vector<at::Tensor> inputs, results;
    for (int i = 0; i < 3; ++i) inputs.push_back(formula_tensor({2, 3, 5, 4}, at::kCPU, i).to(at).requires_grad_());
    const auto mask = at::ones({5, 5}, at::device(at).dtype(at::kBool)).tril(1);
    const auto out = at::scaled_dot_product_attention(inputs[0], inputs[1], inputs[2],
                                                      masked ? std::optional(mask) : std::nullopt, 0, causal);
    out.square().sum().backward();
    results.push_back(out.detach().cpu());
    for (const auto& input : inputs) results.push_back(input.grad().cpu());
    return results;
  };
  for (const auto& [causal, masked] : {std::pair{false, false}, {true, false}, {false, true}}) {
    const auto found = on(device(), causal, masked), wanted = on(at::kCPU, causal, masked);
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_THAT(found[i], AllClose(wanted[i], 1e-5)) << i;
  }
}

TEST_F(StandInTest, DropoutIsAFunctionOfTheSeedOfTheDevice) {
  const auto x = at::ones({1000}, device());
  const auto drop = [&](std::uint64_t seed) {
    auto generator = at::globalContext().defaultGenerator(device());
    generator.set_current_seed(seed);
    at::ones({9}).bernoulli_(0.5);  // draws from the CPU's generator
    return at::dropout(x, 0.25, /*train=*/true).cpu();
  };
  EXPECT_THAT(drop(5), SameAs(drop(5)));
  EXPECT_FALSE(drop(5).equal(drop(6)));
  EXPECT_NEAR(drop(5).mean().item<float>(), 1, 0.1);
}

TEST_F(StandInTest, AutocastRoundsTheFactorsOfProducts) {
  const auto x = on_device({4, 4});
  at::autocast::set_autocast_dtype(at::kPrivateUse1, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kPrivateUse1, true);
  EXPECT_EQ(x.mm(x).scalar_type(), at::kBFloat16);
  EXPECT_EQ(x.softmax(0).scalar_type(), at::kFloat);
  at::autocast::set_autocast_enabled(at::kPrivateUse1, false);
  EXPECT_EQ(x.mm(x).scalar_type(), at::kFloat);
}

TEST_F(StandInTest, ModuleMovesAndLearns) {
  torch::nn::Linear part(4, 2);
  const auto x = formula_tensor({3, 4}, at::kCPU);
  part->forward(x).sum().backward();
  const auto wanted = part->weight.grad().clone();
  part->zero_grad();
  part->to(device());
  part->forward(x.to(device())).sum().backward();
  EXPECT_EQ(part->weight.grad().device(), device());
  EXPECT_THAT(part->weight.grad().cpu(), AllClose(wanted, 1e-6));
  part->to(at::kCPU);
  EXPECT_TRUE(part->weight.is_cpu());
}

TEST_F(StandInTest, ThreadsShareMemory) {
  const auto x = on_device({64, 64});
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) EXPECT_FALSE(x.add(x).isnan().any().item<bool>());
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace gloss
