#include "model/inference/inference_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/random.h"
#include "common/special_ids.h"
#include "tensor/thread_count.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// Head size 5, and an inner width that is not a multiple of the vector length.
ModelConfig odd_config() {
  auto config = small_config();
  config.d_model = 15;
  config.heads = 3;
  config.d_ff = 33;
  return config;
}

/// Returns a source of `length` tokens of small_model's 20, eos last.
std::vector<std::int32_t> source_of(std::int64_t length) {
  std::vector<std::int32_t> ids;
  for (std::int64_t s = 1; s < length; ++s) ids.push_back(static_cast<std::int32_t>(4 + s * 7 % 16));
  ids.push_back(kEos);
  return ids;
}

/// Returns column t of rows that are continued with their last id.
Ids column(const Rows& rows, std::size_t t) {
  Ids ids;
  for (const auto& row : rows) ids.push_back(row[std::min(t, row.size() - 1)]);
  return ids;
}

/// Steps through `targets` and compares each output with that of the plain model (teacher forcing).
void expect_steps_equal_forward(EncoderDecoder& model, const ModelConfig& config, const PaddedIds& source,
                                const Rows& targets) {
  const at::NoGradGuard no_grad;
  const auto target = pad(targets, at::kCPU);
  const auto expected = model->forward(source, target, Pass{});  // [B, T, D]
  const auto logits = model->generator()->logits(expected);      // [B, T, V]
  const InferenceModel inference(model, config);
  auto state = inference.start(source);
  for (std::int64_t t = 0; t < expected.size(1); ++t) {
    const auto x = inference.step(state, column(targets, static_cast<std::size_t>(t)), std::nullopt).x;  // [B, D]
    const auto got = inference.logits(x).logits;                                                         // [B, V]
    for (std::int64_t b = 0; b < expected.size(0); ++b) {
      if (t >= target.lengths[static_cast<std::size_t>(b)]) continue;
      const auto size = std::max(1.0, expected[b][t].abs().max().item<double>());  // to which sums are rounded
      EXPECT_THAT(x[b], AllClose(expected[b][t], 2e-5 * size)) << "sentence " << b << ", position " << t;
      EXPECT_THAT(got[b], AllClose(logits[b][t], 5e-5 * size)) << "sentence " << b << ", position " << t;
    }
  }
}

const Rows& inputs() {
  static const Rows rows = {{kBos, 12, 13}, {kBos, 14, 15, 16, 17, 18}, {kBos}};
  return rows;
}

TEST(InferenceModelTest, StepsEqualTheForwardPassForEveryConfiguration) {
  auto configs = all_combinations();
  configs.push_back(odd_config());
  configs.push_back(odd_config());
  configs.back().activation = Activation::kGelu;
  configs.back().norm = NormPlace::kPost;
  configs.back().encoder_layers = 1;
  configs.back().decoder_layers = 3;
  for (const auto& config : all_alternatives())
    if (InferenceModel::supports(config)) configs.push_back(config);
  ASSERT_EQ(configs.size(), 26U + 16U);
  for (auto config : configs) {
    for (const bool final_norm : {false, true}) {
      config.final_norm = final_norm;
      SCOPED_TRACE(describe(config));
      auto model = small_model(at::kCPU, config);
      expect_steps_equal_forward(model, config, pad(small_sources(), at::kCPU), inputs());
    }
  }
}

TEST(InferenceModelTest, LongSentencesAreEncodedInParts) {
  const ThreadCount two(2);
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    auto config = odd_config();
    config.norm = norm;
    auto model = small_model(at::kCPU, config);
    const Rows sources = {source_of(300), source_of(1), source_of(256), source_of(257), source_of(2), source_of(513)};
    const Rows targets = {{kBos, 5}, {kBos, 6}, {kBos, 7}, {kBos, 8}, {kBos, 9}, {kBos, 10}};
    expect_steps_equal_forward(model, config, pad(sources, at::kCPU), targets);
    expect_steps_equal_forward(model, config, pad(Rows{source_of(300)}, at::kCPU), {{kBos, 5, 6}});
  }
}

TEST(InferenceModelTest, ManyRowsAreSharedBetweenThreads) {
  const ThreadCount three(3);
  for (const auto& config : {odd_config(), marian_student()}) {
    auto model = small_model(at::kCPU, config);
    Rows sources, targets;
    for (std::int32_t b = 0; b < 31; ++b) {
      sources.push_back(source_of(1 + b % 9));
      targets.push_back({kBos, 4 + b % 16, 4 + b % 3});
    }
    expect_steps_equal_forward(model, config, pad(sources, at::kCPU), targets);
  }
}

TEST(InferenceModelTest, LongTargetEqualsTheForwardPass) {
  for (const auto& config : {small_config(), marian_student()}) {
    auto model = small_model(at::kCPU, config);
    std::vector<std::int32_t> targets = source_of(300);
    targets.front() = kBos;
    expect_steps_equal_forward(model, config, pad(Rows{source_of(5)}, at::kCPU), {targets});
  }
}

TEST(InferenceModelTest, StatesOfARecurrenceFollowTheRowsOfABeamAndTakeNoMoreMemory) {
  const auto config = marian_student();
  auto model = small_model(at::kCPU, config);
  const InferenceModel inference(model, config);
  const auto sources = small_sources();
  auto state = inference.start(pad(sources, at::kCPU));
  inference.step(state, Ids{kBos, kBos, kBos}, std::nullopt);
  state.select({0, 2}, {0, 0, 0, 0});  // two rows of sentences 0 and 2
  inference.step(state, Ids{5, 6, 7, 8}, std::nullopt);
  state.select({1, 0}, {1, 0, 0, 1});
  const auto got = inference.step(state, Ids{9, 10, 11, 12}, std::nullopt).x;
  EXPECT_EQ(state.blocks.size(), 2U);
  EXPECT_EQ(state.generated.front().size(), 1U);

  const at::NoGradGuard no_grad;
  const auto one = pad(Rows{sources[2], sources[2], sources[0], sources[0]}, at::kCPU);
  const auto inputs = pad(Rows{{kBos, 8, 9}, {kBos, 7, 10}, {kBos, 5, 11}, {kBos, 6, 12}}, at::kCPU);
  EXPECT_THAT(got, AllClose(model->forward(one, inputs, Pass{}).select(1, 2), 2e-5));
}

TEST(InferenceModelTest, EmptySourceYieldsZeroContext) {
  auto model = small_model(at::kCPU);
  auto source = pad(Rows{{5, 6, kEos}, {7, 8, kEos}, {9, kEos}}, at::kCPU);
  source.lengths[1] = 0;
  expect_steps_equal_forward(model, small_config(), source, inputs());

  source.lengths = {0, 0, 0};
  expect_steps_equal_forward(model, small_config(), source, inputs());
  const InferenceModel inference(model, small_config());
  auto state = inference.start(source);
  EXPECT_THAT(inference.step(state, Ids{kBos, kBos, kBos}, AttentionSite{}).attention, SameAs(at::zeros({3, 3})));
}

TEST(InferenceModelTest, NoSentencesYieldNoRows) {
  const InferenceModel inference(small_model(at::kCPU), small_config());
  auto state = inference.start({at::zeros({0, 1}, at::kLong), {}});
  const auto [x, attention] = inference.step(state, {}, AttentionSite{});
  EXPECT_EQ(x.sizes(), (at::IntArrayRef{0, 16}));
  EXPECT_EQ(attention.size(0), 0);
  EXPECT_EQ(inference.logits(x).logits.sizes(), (at::IntArrayRef{0, 20}));
  EXPECT_THAT(inference.top_tokens(x, 3).ids, IsEmpty());
  EXPECT_THAT(inference.top_tokens(x, 3).log_normalizers, IsEmpty());
}

TEST(InferenceModelTest, AttentionKeepsTheWidthOfThePaddedSource) {
  const InferenceModel inference(small_model(at::kCPU), small_config());
  auto state = inference.start(pad(small_sources(), at::kCPU));
  state.select({2}, {0});  // the shortest
  EXPECT_EQ(inference.step(state, Ids{kBos}, AttentionSite{}).attention.sizes(), (at::IntArrayRef{1, 5}));
}

TEST(InferenceModelTest, LaterChangesOfTheModelHaveNoEffect) {
  auto config = small_config();
  config.positions = Positions::kLearned;
  config.tie_embeddings = TieEmbeddings::kNone;
  auto model = small_model(at::kCPU, config);
  const InferenceModel inference(model, config);
  const auto step = [&] {
    auto state = inference.start(pad(small_sources(), at::kCPU));
    return inference.logits(inference.step(state, Ids{kBos, kBos, kBos}, std::nullopt).x).logits;
  };
  const auto before = step();
  const at::NoGradGuard no_grad;
  for (auto& parameter : model->parameters()) parameter.add_(1);
  EXPECT_TRUE(at::equal(step(), before));
}

/// All results for a sentence, compared bit for bit.
struct Seen {
  std::vector<at::Tensor> x, logits, attention;
  std::vector<TopTokens> top;
};

/// Large enough for threads to share work, with widths that are not multiples of the vector length.
ModelConfig wide_config(NormPlace norm, Activation activation) {
  auto config = small_config();
  config.d_model = 60;
  config.heads = 3;
  config.d_ff = 101;
  config.norm = norm;
  config.activation = activation;
  return config;
}

constexpr std::int64_t kWideVocabulary = 3000, kSteps = 3;

std::vector<Seen> look_at(const InferenceModel& model, const Rows& sources) {
  std::vector<Seen> seen(sources.size());
  auto state = model.start(pad(sources, at::kCPU));
  for (std::int64_t t = 0; t < kSteps; ++t) {
    Ids tokens;
    for (const auto& source : sources)
      tokens.push_back(t == 0 ? kBos
                              : static_cast<Id>((source.front() * 31 + std::ssize(source) * 17 + t) % kWideVocabulary));
    const auto [x, attention] = model.step(state, tokens, AttentionSite{});
    const auto [logits, log_normalizers] = model.logits(x);
    const auto top = model.top_tokens(x, 7);
    EXPECT_EQ(log_normalizers, top.log_normalizers);
    for (std::size_t b = 0; b < sources.size(); ++b) {
      const auto row = static_cast<std::int64_t>(b);
      auto& mine = seen[b];
      mine.x.push_back(x[row]);
      mine.logits.push_back(logits[row]);
      mine.attention.push_back(attention[row].slice(0, 0, std::ssize(sources[b])));
      mine.top.push_back({7,
                          {top.logits.begin() + row * 7, top.logits.begin() + (row + 1) * 7},
                          {top.ids.begin() + row * 7, top.ids.begin() + (row + 1) * 7},
                          {top.log_normalizers[b]}});
    }
  }
  return seen;
}

void expect_same_bits(const Seen& got, const Seen& expected) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(kSteps); ++t) {
    EXPECT_TRUE(at::equal(got.x[t], expected.x[t])) << "x at " << t;
    EXPECT_TRUE(at::equal(got.logits[t], expected.logits[t])) << "logits at " << t;
    EXPECT_TRUE(at::equal(got.attention[t], expected.attention[t])) << "attention at " << t;
    EXPECT_EQ(got.top[t].ids, expected.top[t].ids) << t;
    EXPECT_EQ(got.top[t].logits, expected.top[t].logits) << t;
    EXPECT_EQ(got.top[t].log_normalizers, expected.top[t].log_normalizers) << t;
  }
}

TEST(InferenceModelTest, BitsDoNotDependOnNeighborsOrderOrThreads) {
  Rows sources;
  for (std::int32_t b = 0; b < 29; ++b) {
    auto& ids = sources.emplace_back();
    for (std::int32_t s = 0; s < (b == 4 ? 420 : 1 + b * 5 % 23); ++s) ids.push_back(4 + (b * 97 + s * 13) % 2900);
    ids.push_back(kEos);
  }
  auto student = wide_config(NormPlace::kPost, Activation::kGeluSigmoid);
  student.decoder_layer = DecoderLayerType::kSsru;
  for (const auto& config :
       {wide_config(NormPlace::kPre, Activation::kGelu), wide_config(NormPlace::kPost, Activation::kRelu), student}) {
    const InferenceModel model(make_model(config, {kWideVocabulary, kWideVocabulary}, RandomStream(7, "weights")),
                               config);
    std::vector<Seen> expected;
    {
      const ThreadCount one(1);
      expected = look_at(model, sources);
    }
    for (const int threads : {1, 2, 3}) {
      const ThreadCount count(threads);
      SCOPED_TRACE(std::to_string(threads) + " threads");
      const auto together = look_at(model, sources);
      auto reversed = sources;
      std::ranges::reverse(reversed);
      const auto backwards = look_at(model, reversed);
      for (std::size_t b = 0; b < sources.size(); ++b) {
        SCOPED_TRACE("sentence " + std::to_string(b));
        expect_same_bits(together[b], expected[b]);
        expect_same_bits(backwards[sources.size() - 1 - b], expected[b]);
        expect_same_bits(look_at(model, {sources[b]})[0], expected[b]);
      }
    }
  }
}

// LibTorch divides so many elements of one row among threads.
TEST(InferenceModelTest, BitsOfAWideLayerDoNotDependOnThreadsEither) {
  for (const auto& [activation, d_ff] :
       {std::pair(Activation::kGelu, 16'387), {Activation::kGelu, 40'003}, {Activation::kSwish, 40'003}}) {
    auto config = wide_config(NormPlace::kPost, activation);
    config.d_ff = d_ff;
    const InferenceModel model(make_model(config, {kWideVocabulary, kWideVocabulary}, RandomStream(7, "weights")),
                               config);
    const Rows sources = {{4, 5, 6, kEos}};
    const auto with_threads = [&](int threads) {
      const ThreadCount count(threads);
      return look_at(model, sources)[0];
    };
    const auto expected = with_threads(1);
    for (const int threads : {2, 3, 7}) expect_same_bits(with_threads(threads), expected);
  }
}

TEST(InferenceModelTest, RowsOfABeamEqualSeparateRows) {
  const auto config = odd_config();
  const InferenceModel model(small_model(at::kCPU, config), config);
  const Ids bos(3, kBos), first = {5, 6, 7, 8, 9, 10}, second = {11, 12, 13, 14, 15, 16};
  auto state = model.start(pad(small_sources(), at::kCPU));
  model.step(state, bos, std::nullopt);
  state.select({0, 2}, {0, 0, 0, 0, 0, 0});
  model.step(state, first, std::nullopt);
  state.select({1, 0}, {2, 2, 0, 1, 0, 1});
  const auto x = model.step(state, second, std::nullopt).x;
  const Ids tokens = {10, 10, 8, 6, 5, 6};  // tokens after bos, in the selected order
  for (std::int64_t row = 0; row < 6; ++row) {
    auto alone = model.start(pad(Rows{small_sources()[row < 3 ? 2 : 0]}, at::kCPU));
    for (const auto id : {kBos, tokens[static_cast<std::size_t>(row)]}) model.step(alone, Ids{id}, std::nullopt);
    EXPECT_TRUE(at::equal(model.step(alone, Ids{second[static_cast<std::size_t>(row)]}, std::nullopt).x[0], x[row]))
        << row;
  }
}

TEST(InferenceModelTest, RefusesOutOfRangeInputAndKeepsTheState) {
  auto config = small_config();
  config.positions = Positions::kLearned;
  config.max_positions = 3;
  const InferenceModel model(small_model(at::kCPU, config), config);
  const auto start = [&](const Rows& rows) { return model.start(pad(rows, at::kCPU)); };
  EXPECT_THAT([&] { start({{4, 5, 6, kEos}}); }, ThrowsMessage<UsageError>(HasSubstr("at most 3")));
  EXPECT_THAT([&] { start({{4, 20}}); }, ThrowsMessage<ShapeError>(HasSubstr("ids from 0 to 19, got 20")));
  EXPECT_THAT([&] { start({{-1}}); }, ThrowsMessage<ShapeError>(HasSubstr("got -1")));
  const auto ids = at::tensor({4, 5}, at::kLong).view({1, 2});
  EXPECT_THAT([&] { model.start({ids, {3}}); }, ThrowsMessage<ShapeError>(HasSubstr("lengths from 0 to 2, got 3")));
  EXPECT_THAT([&] { model.start({ids, {-1}}); }, ThrowsMessage<ShapeError>(HasSubstr("got -1")));
  EXPECT_THAT([&] { model.start({ids, {1, 1}}); }, ThrowsMessage<ShapeError>(HasSubstr("source: wanted [2, 2]")));
  EXPECT_THAT([&] { model.start({ids.view({2}), {1, 1}}); }, ThrowsMessage<ShapeError>(HasSubstr("source")));

  auto state = start({{4, kEos}, {5, kEos}});
  const auto say = [&](const Ids& tokens) { return model.step(state, tokens, std::nullopt).x; };
  EXPECT_THAT([&] { say({kBos}); }, ThrowsMessage<ShapeError>(HasSubstr("tokens: wanted 2, got 1")));
  EXPECT_THAT([&] { say({kBos, 20}); }, ThrowsMessage<ShapeError>(HasSubstr("tokens: wanted ids from 0 to 19")));
  EXPECT_THAT([&] { say({-1, kBos}); }, ThrowsMessage<ShapeError>(HasSubstr("got -1")));
  auto fresh = start({{4, kEos}, {5, kEos}});
  const Ids bos(2, kBos);
  EXPECT_TRUE(at::equal(say(bos), model.step(fresh, bos, std::nullopt).x));
  for (int t = 1; t < 3; ++t) say(bos);
  EXPECT_THAT([&] { say(bos); }, ThrowsMessage<UsageError>(HasSubstr("at most 3")));
  EXPECT_EQ(state.position, 3);
  EXPECT_EQ(state.generated[0].size(), 3u);

  EXPECT_THAT([&] { model.logits(at::zeros({1, 15})); }, ThrowsMessage<ShapeError>(HasSubstr("x: wanted")));
  EXPECT_THAT([&] { model.logits(at::zeros({16, 2}).t()); }, ThrowsMessage<ShapeError>(HasSubstr("x: wanted")));
  for (const auto width : {std::int64_t{0}, model.vocabulary_size() + 1})
    EXPECT_THAT(
        [&] {
          model.top_tokens(at::zeros({1, 16}), width);
        },
        ThrowsMessage<ShapeError>(HasSubstr("width: wanted 1 to ")));
  EXPECT_THAT([&] { model.top_tokens(at::zeros({1, 15}), 1); }, ThrowsMessage<ShapeError>(HasSubstr("x: wanted")));
}

TEST(InferenceModelTest, NaNPropagates) {
  for (const char* site : {"encoder.layers.0.feed_forward.inner.bias", "decoder.layers.1.feed_forward.inner.bias",
                           "decoder.layers.0.cross_attention.key.bias", "generator.bias"}) {
    auto model = small_model(at::kCPU);
    {
      const at::NoGradGuard no_grad;
      model->named_parameters()[site].fill_(std::numeric_limits<float>::quiet_NaN());
    }
    const InferenceModel inference(model, small_config());
    auto state = inference.start(pad(small_sources(), at::kCPU));
    const auto x = inference.step(state, Ids{kBos, kBos, kBos}, std::nullopt).x;
    for (const double normalizer : inference.top_tokens(x, 2).log_normalizers)
      EXPECT_TRUE(std::isnan(normalizer)) << site;
  }
}

}  // namespace
}  // namespace gloss
