#include "training/flat_adam.h"

#include <cmath>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "training/adam.h"

namespace gloss {
namespace {

std::vector<at::Tensor> parameters() {
  std::vector<at::Tensor> tensors;
  for (const std::int64_t size : {1, 17, 100'000, 5, 40'000}) tensors.push_back(at::empty({size}));
  return tensors;
}

TEST(FlatLayoutTest, PiecesHoldEachElementOnceAndNoneCrossesAChunk) {
  const auto tensors = parameters();
  const FlatLayout layout(tensors);
  const auto chunk = layout.slice() / layout.chunks_of_slice();
  std::vector<std::int64_t> next(tensors.size());
  std::int64_t end = 0;
  for (const auto& [parameter, begin, offset, count] : layout.pieces()) {
    EXPECT_EQ(begin, next[parameter]);
    EXPECT_EQ(offset, layout.offset(parameter) + begin);
    EXPECT_EQ(offset / chunk, (offset + count - 1) / chunk);
    EXPECT_GE(offset, end) << "pieces overlap";
    next[parameter] += count;
    end = offset + count;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(next[i], tensors[i].numel()) << i;
    EXPECT_EQ(layout.offset(i) % 16, 0) << i;
  }
}

TEST(FlatLayoutTest, PiecesDoNotDependOnTheProcesses) {
  const auto tensors = parameters();
  const FlatLayout alone(tensors);
  for (const std::int64_t processes : {2, 3, 100}) {
    const FlatLayout layout(tensors, processes);
    ASSERT_EQ(layout.pieces().size(), alone.pieces().size());
    for (std::size_t i = 0; i < alone.pieces().size(); ++i) {
      EXPECT_EQ(layout.pieces()[i].offset, alone.pieces()[i].offset);
      EXPECT_EQ(layout.pieces()[i].count, alone.pieces()[i].count);
    }
    const auto& last = layout.pieces().back();
    EXPECT_LE(last.offset + last.count, layout.slice() * processes);
    EXPECT_EQ(layout.begin_of(layout.chunks_of_slice() * processes), layout.pieces().size());
  }
}

using Named = std::vector<std::pair<std::string, at::Tensor>>;

// On a GPU there are no flat buffers: both paths are the same.
class FlatAdamTest : public DeviceTest {
 protected:
  // Odd sizes, one of them longer than a chunk of the flat buffers.
  Named parameters() const {
    Named named;
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{1}, {3, 5}, {17}, {4, 31, 2}, {333, 301}, {7}}) {
      const auto name = std::to_string(named.size());
      named.emplace_back(name, values(shape, 0.1 * static_cast<double>(named.size())));
    }
    for (auto& [name, parameter] : named) parameter.requires_grad_();
    return named;
  }

  at::Tensor values(at::IntArrayRef shape, double phase) const {
    return at::arange(c10::multiply_integers(shape), at::kFloat).mul(0.37).add(phase).sin().view(shape).to(device());
  }

  static double norm_by(std::int64_t workers_count, const Named& named) {
    Workers workers(workers_count);
    Adam adam(named, {}, Adam::Path::kFastest, &workers);
    Gradients gradients;
    for (const auto& parameter : adam.trained()) gradients.push_back(parameter.detach() * 1.7);
    return adam.set_gradients(gradients).item<double>();
  }
};

TEST_P(FlatAdamTest, EqualsThePlainPathInOddShapes) {
  TrainingConfig config;
  config.ema_decay = 0.9;
  const auto flat = parameters(), plain = parameters();
  Adam flat_adam(flat, config), plain_adam(plain, config, Adam::Path::kPlain);
  for (std::int64_t step = 1; step <= 6; ++step) {
    Gradients gradients;
    for (const auto& parameter : flat_adam.trained())
      gradients.push_back(values(parameter.sizes(), static_cast<double>(step)) * std::pow(10, -(step % 4)));
    EXPECT_NEAR(flat_adam.set_gradients(gradients).item<double>() / plain_adam.set_gradients(gradients).item<double>(),
                1, 1e-6);
    const Adam::Update update{.step = step, .learning_rate = 0.01, .gradient_factor = 0.5};
    flat_adam.step(update);
    plain_adam.step(update);
  }
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const auto &a = flat_adam.slots()[i], &b = plain_adam.slots()[i];
    EXPECT_TRUE(a.parameter.allclose(b.parameter, 1e-6, 1e-7)) << a.name;
    EXPECT_TRUE(a.m.allclose(b.m, 2e-6, 1e-9)) << a.name;
    EXPECT_TRUE(a.v.allclose(b.v, 2e-6, 1e-12)) << a.name;
    EXPECT_TRUE(a.ema.allclose(b.ema, 1e-6, 1e-7)) << a.name;
    EXPECT_FALSE(a.parameter.allclose(parameters()[i].second, 1e-3, 1e-3)) << a.name;
  }
}

TEST_P(FlatAdamTest, MissingAndSharedGradientsAreUsed) {
  const auto named = parameters(), plain = parameters();
  Adam adam(named, {}), plain_adam(plain, {}, Adam::Path::kPlain);
  for (auto* each : {&adam, &plain_adam}) {
    Gradients gradients;
    for (const auto& parameter : each->trained()) gradients.push_back(at::ones_like(parameter));
    gradients[1].reset();
    gradients[5] = gradients[0].expand({7});  // elements that share their memory
    EXPECT_NEAR(each->set_gradients(gradients).item<double>(), std::sqrt(1 + 17 + 248 + 333 * 301 + 7), 1e-3);
    each->step({.learning_rate = 0.1});
  }
  for (std::size_t i = 0; i < named.size(); ++i)
    EXPECT_TRUE(named[i].second.allclose(plain[i].second, 1e-6, 1e-7)) << named[i].first;
  EXPECT_TRUE(named[1].second.equal(parameters()[1].second));
}

TEST_P(FlatAdamTest, NormDoesNotDependOnWorkers) {
  const double one = norm_by(1, parameters());
  EXPECT_EQ(norm_by(2, parameters()), one);
  EXPECT_EQ(norm_by(3, parameters()), one);
}

INSTANTIATE_DEVICES(FlatAdamTest);

}  // namespace
}  // namespace gloss
