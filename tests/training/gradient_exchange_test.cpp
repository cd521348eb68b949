#include "training/gradient_exchange.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tensor/runtime.h"
#include "tests/support/small_model.h"
#include "tests/support/thread_exchange.h"
#include "tests/training/toy_run.h"
#include "training/checkpoint.h"
#include "training/kept_weights.h"
#include "training/update.h"

namespace gloss {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

class GradientExchangeTest : public testing::Test {
 protected:
  void SetUp() override { set_up_determinism(1); }

  /// The checkpoint after some updates by `processes` processes, and the gradient's norms.
  Tensors trained(const ModelConfig& config, std::int64_t processes, std::int64_t shards,
                  Adam::Path path = Adam::Path::kFastest) {
    TrainingConfig training;
    training.ema_decay = 0.9;
    Tensors checkpoint;
    run_processes(processes, [&](Exchange& exchange) {
      auto model = make_model(config, {12, 12}, RandomStream(1, "weights"));
      Workers workers(1);
      Adam adam(named_parameters(model), training, path, &workers, exchange);
      EXPECT_EQ(adam.divides_state(), processes > 1 && path == Adam::Path::kFastest);
      std::optional<GradientExchange> gradient_exchange;
      if (processes > 1) gradient_exchange.emplace(exchange, model, adam, workers);
      for (std::int64_t step = 1; step <= 3; ++step) {
        const std::vector batches{toy_.corpus().batch(std::vector<std::int64_t>{step, 4, 5, 6, 7}),
                                  toy_.corpus().batch(std::vector<std::int64_t>{10, 9 + step, 12})};
        const auto result = update_weights(model, adam, workers, batches, RandomStream(1, "dropout"),
                                           {.step = step, .learning_rate = 0.01, .clip_norm = 0.5, .shards = shards},
                                           gradient_exchange ? &*gradient_exchange : nullptr);
        EXPECT_TRUE(result.applied);
        if (exchange.is_first()) norms_[step] = result.gradient_norm;
      }
      {
        const EmaWeights ema(adam);
        if (exchange.rank() == processes - 1) ema_of_last_ = weights_of(model);
      }
      auto tensors = checkpoint_tensors(adam);
      if (exchange.is_first()) checkpoint = std::move(tensors);
    });
    return checkpoint;
  }

  static void expect_equal(const Tensors& found, const Tensors& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (const auto& [name, tensor] : wanted) EXPECT_TRUE(found.at(name).equal(tensor)) << name;
  }

  /// Calls `exchange_sums` in each of two processes with the optimizer and the exchange of a small model.
  void in_two_processes(const auto& exchange_sums) {
    run_processes(2, [&](Exchange& exchange) {
      auto model = make_model(small_config(), {12, 12}, RandomStream(1, "weights"));
      Workers workers(1);
      const Adam adam(named_parameters(model), {}, Adam::Path::kPlain, &workers, exchange);
      GradientExchange gradient_exchange(exchange, model, adam, workers);
      exchange_sums(exchange, adam, gradient_exchange);
    });
  }

  Toy toy_{{.pairs = 30}, at::kCPU};
  std::map<std::int64_t, double> norms_;
  Tensors ema_of_last_;
};

TEST_F(GradientExchangeTest, WeightsAndOptimizerAreThoseOfOneProcess) {
  for (const auto& config : all_networks()) {
    SCOPED_TRACE(describe(config));
    const auto wanted = trained(config, 1, 4);
    const auto wanted_norms = norms_;
    const auto wanted_ema = ema_of_last_;
    for (const std::int64_t processes : {2, 3}) {
      expect_equal(trained(config, processes, 4), wanted);
      EXPECT_EQ(norms_, wanted_norms);
      expect_equal(ema_of_last_, wanted_ema);
    }
  }
}

TEST_F(GradientExchangeTest, WithTheWholeStateInEachProcessTheyAreThoseOfOne) {
  for (const auto& config : all_networks()) {
    SCOPED_TRACE(describe(config));
    const auto wanted = trained(config, 1, 5, Adam::Path::kPlain);
    const auto wanted_norms = norms_;
    for (const std::int64_t processes : {2, 3}) {
      expect_equal(trained(config, processes, 5, Adam::Path::kPlain), wanted);
      EXPECT_EQ(norms_, wanted_norms);
    }
  }
}

TEST_F(GradientExchangeTest, AGradientThatNoShardHasIsUndefined) {
  in_two_processes([&](Exchange& exchange, const Adam& adam, GradientExchange& gradient_exchange) {
    std::vector<ShardSums> own(1);
    own[0].tokens = 1;
    own[0].nll = at::zeros({}, at::kDouble);
    for (const auto& parameter : adam.trained()) own[0].gradients.push_back(at::ones(parameter.sizes()));
    own[0].gradients[0].reset();
    if (exchange.is_first()) own[0].gradients[1].reset();
    const auto sum = gradient_exchange.sum(2, std::move(own));
    EXPECT_FALSE(sum.gradients[0].defined());
    EXPECT_TRUE(sum.gradients[1].equal(at::ones(adam.trained()[1].sizes())));
    EXPECT_TRUE(sum.gradients[2].equal(at::full(adam.trained()[2].sizes(), 2.0)));
  });
}

TEST_F(GradientExchangeTest, AnImpossibleNumberOfTokensIsRefused) {
  in_two_processes([&](Exchange& exchange, const Adam& adam, GradientExchange& gradient_exchange) {
    std::vector<ShardSums> own(1);
    own[0].tokens = exchange.is_first() ? 0 : -1;
    own[0].gradients.resize(adam.trained().size());
    EXPECT_THAT([&] { gradient_exchange.sum(2, std::move(own)); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("data of another size than expected")));
  });
}

TEST_F(GradientExchangeTest, NorDoEmptyShardsAndOddNumbersChangeThem) {
  auto config = small_config();
  config.d_ff = 20'000;                        // several chunks of the buffers
  for (const std::int64_t shards : {5, 16}) {  // the last: more than sentences
    const auto wanted = trained(config, 1, shards);
    for (const std::int64_t processes : {2, 5}) expect_equal(trained(config, processes, shards), wanted);
  }
}

TEST_F(GradientExchangeTest, ACheckpointIsRestoredOnAnyNumberOfProcesses) {
  const auto wanted = trained(small_config(), 2, 4);
  ASSERT_TRUE(wanted.contains("adam.m.generator.bias"));
  run_processes(3, [&](Exchange& exchange) {
    auto model = make_model(small_config(), {12, 12}, RandomStream(2, "weights"));
    TrainingConfig training;
    training.ema_decay = 0.9;
    Adam adam(named_parameters(model), training, Adam::Path::kFastest, nullptr, exchange);
    for (std::size_t i = 0; i < adam.slots().size(); ++i) {
      const auto& name = adam.slots()[i].name;
      adam.set_state(Adam::State::kM, i, wanted.at("adam.m." + name));
    }
    const auto slots = adam.slots_with_state();
    for (const auto& slot : slots) {
      EXPECT_EQ(slot.m.defined(), exchange.is_first());
      if (exchange.is_first()) {
        EXPECT_TRUE(slot.m.equal(wanted.at("adam.m." + slot.name))) << slot.name;
      }
    }
  });
}

}  // namespace
}  // namespace gloss
