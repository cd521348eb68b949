#include "model/encoder_decoder.h"

#include <map>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class EncoderDecoderTest : public DeviceTest {
 protected:
  // Log-probabilities [B, T, V] of the targets' positions.
  static at::Tensor log_probabilities(EncoderDecoder& model, const Rows& sources, const Rows& targets,
                                      const Pass& pass = {}) {
    const auto source = pad(sources, device());
    auto generator = model->generator();
    return generator(model(source, shift_target(targets, device()).input, pass));
  }
  static std::vector<ModelConfig> all_networks_and_head_counts() {
    auto configs = all_networks();
    for (auto& config : all_head_counts()) configs.push_back(config);
    return configs;
  }
  static at::Tensor said(const at::Tensor& scores, std::size_t sentence, const Rows& targets) {
    return scores[static_cast<std::int64_t>(sentence)].slice(0, 0, static_cast<std::int64_t>(targets[sentence].size()));
  }
};

TEST_P(EncoderDecoderTest, PaddingOrderAndNeighborsChangeNothing) {
  const at::NoGradGuard no_grad;
  const auto sources = small_sources(), targets = small_targets();
  for (const auto& config : all_networks_and_head_counts()) {
    auto model = small_model(device(), config);
    const auto together = log_probabilities(model, sources, targets);
    const auto reversed =
        log_probabilities(model, Rows(sources.rbegin(), sources.rend()), Rows(targets.rbegin(), targets.rend()));
    for (std::size_t b = 0; b < 3; ++b) {
      const auto wanted = said(together, b, targets);
      EXPECT_THAT(log_probabilities(model, {sources[b]}, {targets[b]})[0], AllClose(wanted, 2e-5)) << describe(config);
      EXPECT_THAT(said(reversed.flip(0), b, targets), AllClose(wanted, 2e-5)) << describe(config);
    }
  }
}

TEST_P(EncoderDecoderTest, LaterTargetsChangeNothingBefore) {
  const at::NoGradGuard no_grad;
  for (const auto& config : all_networks_and_head_counts()) {
    auto model = small_model(device(), config);
    auto targets = small_targets();
    const auto before = log_probabilities(model, small_sources(), targets);
    targets[1][3] = 5;  // is seen from position 4 on
    const auto after = log_probabilities(model, small_sources(), targets);
    EXPECT_THAT(after[1].slice(0, 0, 4), AllClose(before[1].slice(0, 0, 4), 1e-5)) << describe(config);
    // Without residual connections nearly nothing of a single token is left after two layers.
    if (config.residual) {
      EXPECT_THAT(after[1][4], Not(AllClose(before[1][4], 1e-3))) << describe(config);
    } else {
      EXPECT_FALSE(after[1][4].equal(before[1][4])) << describe(config);
    }
  }
}

TEST_P(EncoderDecoderTest, CausalEncoderSeesNoLaterSource) {
  const at::NoGradGuard no_grad;
  for (const auto mask : {EncoderMask::kFull, EncoderMask::kCausal}) {
    auto config = small_config();
    config.encoder_mask = mask;
    auto model = small_model(device(), config);
    auto sources = small_sources();
    const auto before = model->encode(pad(sources, device()), Pass{})[0];
    sources[0][3] = 15;
    const auto after = model->encode(pad(sources, device()), Pass{})[0];
    EXPECT_EQ(after.slice(0, 0, 3).allclose(before.slice(0, 0, 3), 0, 1e-6), mask == EncoderMask::kCausal);
    EXPECT_THAT(after[4], Not(AllClose(before[4], 1e-3)));
  }
}

TEST_P(EncoderDecoderTest, SourceTokensAndTheirOrderMatter) {
  const at::NoGradGuard no_grad;
  for (const auto& config : all_networks()) {
    auto model = small_model(device(), config);
    auto sources = small_sources();
    const auto before = log_probabilities(model, sources, small_targets());
    std::swap(sources[0][0], sources[0][1]);
    const auto after = log_probabilities(model, sources, small_targets());
    const bool order_is_seen = config.positions != Positions::kNone;
    EXPECT_EQ(after[0].allclose(before[0], 0, order_is_seen ? 1e-3 : 1e-5), !order_is_seen) << describe(config);
  }
}

// Positions 1 and 3 of the first sentence and 0 of the second: other tokens there change nothing.
TEST_P(EncoderDecoderTest, HiddenSourcePositionsHaveNoInfluence) {
  const at::NoGradGuard no_grad;
  const auto input = shift_target(small_targets(), device()).input;
  auto source = pad(small_sources(), device()), other = source;
  auto hidden = at::zeros({3, 5}, at::device(device()).dtype(at::kBool));
  for (const auto& [b, s] : {std::pair{0, 1}, {0, 3}, {1, 0}}) hidden[b][s] = true;
  other.ids = source.ids.masked_fill(hidden, 17);
  for (const auto& config : all_networks()) {
    auto model = small_model(device(), config);
    const auto run = [&](const PaddedIds& batch, const Mask& mask) {
      const auto memory = model->encode(batch, mask, Pass{});
      auto cache = model->start(memory, mask, Pass{});
      const auto step = model->step(input.ids.narrow(1, 0, 1), cache, Pass{}).unsqueeze(1);
      return at::cat({model->decode(input, memory, mask, Pass{}), step}, 1);  // [B, T + 1, D]
    };
    const auto padding = Mask::padding(source.lengths), hiding = padding.hiding(hidden);
    EXPECT_THAT(run(other, hiding), AllClose(run(source, hiding), 1e-6)) << describe(config);
    EXPECT_THAT(run(other, padding), Not(AllClose(run(source, padding), 1e-3)));
    EXPECT_THAT(model->encode(source, padding, Pass{}), SameAs(model->encode(source, Pass{})));
  }
}

TEST_P(EncoderDecoderTest, CachedStepEqualsTheFullForward) {
  const at::NoGradGuard no_grad;
  const auto input = shift_target(small_targets(), device()).input;
  for (const auto& config : all_networks_and_head_counts()) {
    auto model = small_model(device(), config);
    const auto source = pad(small_sources(), device());
    const auto memory = model->encode(source, Pass{});
    const auto mask = Mask::padding(source.lengths);
    const auto whole = model->decode(input, memory, mask, Pass{});
    auto cache = model->start(memory, mask, Pass{});
    for (std::int64_t t = 0; t < input.ids.size(1); ++t) {
      const auto step = model->step(input.ids.narrow(1, t, 1), cache, Pass{});
      // With the statistics of another batch the values reach 40.
      const double tolerance = config.norm_type == NormType::kBatch ? 1e-4 : 2e-5;
      EXPECT_THAT(step, AllClose(whole.select(1, t), tolerance)) << t << " " << describe(config);
    }
  }
}

TEST_P(EncoderDecoderTest, DropoutFollowsTheStreamAndNothingElse) {
  const at::NoGradGuard no_grad;
  auto model = small_model(device());
  const RandomStream first = RandomStream(1, "dropout").at(1), second = first.at(2);
  const auto run = [&](const RandomStream& stream) {
    return log_probabilities(model, small_sources(), small_targets(), Pass{.training = true, .random = &stream});
  };
  const auto once = run(first);
  EXPECT_THAT(run(second), Not(AllClose(once, 1e-3)));
  EXPECT_THAT(run(first), SameAs(once));
  EXPECT_THAT(log_probabilities(model, small_sources(), small_targets()), Not(AllClose(once, 1e-3)));
}

// Removing any one kind of dropout changes the result: all of them are there.
TEST_P(EncoderDecoderTest, DropsEmbeddingsSublayersAttentionAndFeedForward) {
  const at::NoGradGuard no_grad;
  const RandomStream stream(1, "dropout");
  const auto run = [&](double dropout, double attention, double feed_forward) {
    auto config = small_config();
    config.dropout = dropout;
    config.attention_dropout = attention;
    config.feed_forward_dropout = feed_forward;
    auto model = small_model(device(), config);
    return log_probabilities(model, small_sources(), small_targets(), Pass{.training = true, .random = &stream});
  };
  const auto none = run(0, 0, 0);
  EXPECT_THAT(run(0.1, 0, 0), Not(AllClose(none, 1e-3)));
  EXPECT_THAT(run(0, 0.1, 0), Not(AllClose(none, 1e-3)));
  EXPECT_THAT(run(0, 0, 0.1), Not(AllClose(none, 1e-3)));
}

// Keeps the shapes, and writes the weights again as they are.
class SiteProbe final : public Probe {
 public:
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor&) override {
    attentions_[std::string(site)] = weights.sizes().vec();
    weights.mul_(1);
  }
  void output(std::string_view site, const at::Tensor& value) override {
    outputs_[std::string(site)] = value.sizes().vec();
  }
  std::map<std::string, std::vector<std::int64_t>> attentions_, outputs_;
};

TEST_P(EncoderDecoderTest, ProbeSeesEveryAttentionAndOutputByItsSite) {
  const at::NoGradGuard no_grad;
  auto model = small_model(device());
  SiteProbe probe;
  const auto watched = log_probabilities(model, small_sources(), small_targets(), Pass{.probe = &probe});
  EXPECT_THAT(watched, AllClose(log_probabilities(model, small_sources(), small_targets()), 2e-5));
  EXPECT_EQ(probe.attentions_.size(), 6U);
  EXPECT_THAT(probe.attentions_["encoder.layers.0.self_attention"], ElementsAre(3, 4, 5, 5));
  EXPECT_THAT(probe.attentions_["decoder.layers.1.self_attention"], ElementsAre(3, 4, 6, 6));
  EXPECT_THAT(probe.attentions_["decoder.layers.1.cross_attention"], ElementsAre(3, 4, 6, 5));
  for (const auto site : {"encoder", "encoder.layers.1", "encoder.layers.1.feed_forward"}) {
    EXPECT_THAT(probe.outputs_[site], ElementsAre(3, 5, 16)) << site;
  }
  for (const auto site : {"decoder", "decoder.layers.0", "decoder.layers.0.cross_attention"}) {
    EXPECT_THAT(probe.outputs_[site], ElementsAre(3, 6, 16)) << site;
  }
}

/// Hides source piece 1 of every sentence.
struct HidingProbe final : Probe {
  void source_mask(Mask& mask, std::int64_t B, std::int64_t S) override {
    const auto hidden = at::zeros({B, S}, at::kBool);
    hidden.select(1, 1).fill_(true);
    mask = mask.hiding(hidden);
  }
};

TEST_P(EncoderDecoderTest, AProbeHidesSourcePiecesAsAMaskDoes) {
  const at::NoGradGuard no_grad;
  const auto source = pad(small_sources(), device());
  const auto target = shift_target(small_targets(), device());
  const auto padding = Mask::padding(source.lengths);
  auto hidden = at::zeros(source.ids.sizes(), at::device(device()).dtype(at::kBool));
  hidden.select(1, 1).fill_(true);
  const auto mask = padding.hiding(hidden);
  const auto first = at::tensor({2, 2, 2}, at::kLong).view({3, 1}).to(device());
  for (const auto& config : all_networks()) {
    auto model = small_model(device(), config);
    HidingProbe probe;
    const Pass probed{.probe = &probe, .plain = true}, plain{.plain = true};
    const auto memory = model->encode(source, mask, plain);
    EXPECT_THAT(model->encode(source, probed), AllClose(memory, 1e-6)) << describe(config);
    EXPECT_THAT(model->decode(target.input, memory, padding, probed),
                AllClose(model->decode(target.input, memory, mask, plain), 1e-6))
        << describe(config);
    auto probed_cache = model->start(memory, padding, probed), cache = model->start(memory, mask, plain);
    EXPECT_THAT(model->step(first, probed_cache, plain), AllClose(model->step(first, cache, plain), 1e-6))
        << describe(config);
  }
}

// Without padding too, where the probe is handed what the softmax itself put out.
TEST_P(EncoderDecoderTest, GradientsAreTheSameWithAProbeAsWithout) {
  const RandomStream stream(1, "dropout");
  const auto gradients = [&](const Rows& sources, const Pass& pass) {
    auto model = small_model(device());
    log_probabilities(model, sources, Rows(sources.size(), {12, 13, 3}), pass).select(-1, 5).sum().backward();
    std::map<std::string, at::Tensor> result;
    for (const auto& item : model->named_parameters()) result[item.key()] = item.value().grad();
    return result;
  };
  for (const auto& sources : {small_sources(), Rows{{5, 6, 7, 3}}}) {
    for (const bool training : {false, true}) {
      if (training && !device().is_cpu()) continue;  // where other weights are dropped with a probe
      SiteProbe probe;
      const auto watched = gradients(sources, Pass{.training = training, .random = &stream, .probe = &probe});
      EXPECT_EQ(probe.attentions_.size(), 6U);
      for (const auto& [name, wanted] : gradients(sources, Pass{.training = training, .random = &stream})) {
        EXPECT_THAT(watched.at(name), AllClose(wanted, 1e-4)) << name;
        EXPECT_GT(wanted.abs().max().item<float>(), 0) << name;
      }
    }
  }
}

TEST_P(EncoderDecoderTest, ProbeOfAStepSeesARowForEachHypothesis) {
  const at::NoGradGuard no_grad;
  auto model = small_model(device());
  const auto source = pad(small_sources(), device());
  auto cache = model->start(model->encode(source, Pass{}), Mask::padding(source.lengths), Pass{});
  cache.select({0, 1, 2}, {0, 0, 0, 0, 0, 0});
  SiteProbe probe;
  model->step(at::tensor({2, 2, 2, 2, 2, 2}, at::kLong).view({3, 2}).to(device()), cache, Pass{.probe = &probe});
  EXPECT_THAT(probe.attentions_["decoder.layers.0.cross_attention"], ElementsAre(3, 4, 2, 5));
  EXPECT_THAT(probe.attentions_["decoder.layers.0.self_attention"], ElementsAre(6, 4, 1, 1));
  EXPECT_EQ(probe.outputs_.size(), 9U);
  for (const auto& [site, shape] : probe.outputs_) EXPECT_THAT(shape, ElementsAre(6, 1, 16)) << site;
}

TEST_P(EncoderDecoderTest, ProbeSeesARecurrenceAndTheNormsOfEmbeddings) {
  const at::NoGradGuard no_grad;
  auto config = small_config();
  config.decoder_layer = DecoderLayerType::kSsru;
  config.embedding_norm = true;
  auto model = small_model(device(), config);
  SiteProbe probe;
  log_probabilities(model, small_sources(), small_targets(), Pass{.probe = &probe});
  EXPECT_EQ(probe.attentions_.size(), 4U);
  for (const auto* site : {"target_embedding_norm", "decoder.layers.0.recurrence", "decoder.layers.1.recurrence"})
    EXPECT_THAT(probe.outputs_[site], ElementsAre(3, 6, 16)) << site;
  EXPECT_THAT(probe.outputs_["source_embedding_norm"], ElementsAre(3, 5, 16));
  EXPECT_FALSE(probe.outputs_.contains("decoder.layers.0.self_attention"));
}

TEST_P(EncoderDecoderTest, StatesOfARecurrenceFollowTheRowsOfABeam) {
  const at::NoGradGuard no_grad;
  auto config = small_config();
  config.decoder_layer = DecoderLayerType::kSsru;
  auto model = small_model(device(), config);
  const auto source = pad(small_sources(), device());
  const auto ids = [&](std::vector<std::int64_t> values, std::int64_t K) {
    return at::tensor(values, at::kLong).view({-1, K}).to(device());
  };
  auto cache = model->start(model->encode(source, Pass{}), Mask::padding(source.lengths), Pass{});
  model->step(ids({2, 2, 2}, 1), cache, Pass{});
  cache.select({0, 2}, {0, 0, 0, 0});  // two rows of sentences 0 and 2
  model->step(ids({5, 6, 7, 8}, 2), cache, Pass{});
  cache.select({1, 0}, {1, 0, 0, 1});
  const auto got = model->step(ids({9, 10, 11, 12}, 2), cache, Pass{});

  const auto sources = small_sources();
  const auto one = pad(Rows{sources[2], sources[2], sources[0], sources[0]}, device());
  const auto inputs = pad(Rows{{2, 8, 9}, {2, 7, 10}, {2, 5, 11}, {2, 6, 12}}, device());
  EXPECT_THAT(got, AllClose(model->forward(one, inputs, Pass{}).select(1, 2), 2e-5));
}

TEST_P(EncoderDecoderTest, ADecoderThatStartsFromZeroReadsNoRowOfBos) {
  const at::NoGradGuard no_grad;
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
    auto config = small_config();
    config.tie_embeddings = tie;
    config.decoder_start = DecoderStart::kZero;
    const auto output = [&](EncoderDecoder& model) {
      return model(pad(small_sources(), device()), shift_target(small_targets(), device()).input, Pass{});
    };
    auto model = small_model(device(), config);
    const auto before = output(model);
    const auto embedding =
        model->named_parameters()[tie == TieEmbeddings::kAll ? "source_embedding.weight" : "target_embedding.weight"];
    embedding.select(0, 2).mul_(-3);
    EXPECT_THAT(output(model), SameAs(before));

    // The network of the other start, with a row of zeros.
    config.decoder_start = DecoderStart::kBosRow;
    auto other = small_model(device(), config);
    for (const auto& item : model->named_parameters()) other->named_parameters()[item.key()].copy_(item.value());
    EXPECT_THAT(output(other), Not(AllClose(before, 1e-3)));
    reset_zero_rows(model);
    other->named_parameters()[tie == TieEmbeddings::kAll ? "source_embedding.weight" : "target_embedding.weight"]
        .select(0, 2)
        .zero_();
    EXPECT_THAT(output(other), SameAs(before));
    EXPECT_THAT(embedding.index_select(0, at::tensor({0, 2}).to(device())), SameAs(at::zeros({2, 16}, device())));
  }
}

TEST_P(EncoderDecoderTest, LearnedPositionsEndWithAnErrorThatNamesTheLine) {
  auto config = small_config();
  config.positions = Positions::kLearned;
  config.max_positions = 4;
  auto model = small_model(device(), config);
  EXPECT_THAT(
      [&] {
        log_probabilities(model, small_sources(), {{3}, {3}, {3}});
      },
      ThrowsMessage<UsageError>(HasSubstr("source sentence 1 of the batch: wanted at most 4 tokens")));
  EXPECT_THAT(
      [&] {
        log_probabilities(model, {{3}, {3}, {3}}, small_targets());
      },
      ThrowsMessage<UsageError>(HasSubstr("target sentence 2 of the batch: wanted at most 4 tokens")));
}

TEST_P(EncoderDecoderTest, RejectsBatchesThatDoNotFit) {
  auto model = small_model(device());
  auto source = pad(small_sources(), device());
  source.lengths.pop_back();
  EXPECT_THAT([&] { model->encode(source, Pass{}); },
              ThrowsMessage<ShapeError>(HasSubstr("source: wanted 3 lengths, got 2")));
  EXPECT_THROW(log_probabilities(model, small_sources(), {{3}}), ShapeError);
  EXPECT_THAT(
      [&] {
        model->encode(pad(small_sources(), device()), Mask::padding({5, 3}), Pass{});
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths of 3 sentences, got 2")));
}

INSTANTIATE_DEVICES(EncoderDecoderTest);

}  // namespace
}  // namespace gloss
