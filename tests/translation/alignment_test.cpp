#include "translation/alignment.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "common/error.h"
#include "decoding/forced_scores.h"
#include "decoding/scorers/make_scorer.h"
#include "decoding/search.h"
#include "model/storage/model_file.h"
#include "tensor/thread_count.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Keeps the weights of one site, [B, H, T, S].
class Watcher final : public Probe {
 public:
  explicit Watcher(std::string site) : site_(std::move(site)) {}
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor&) override {
    if (site == site_) seen = weights.clone();
  }

  at::Tensor seen;

 private:
  std::string site_;
};

/// The scorers of a network: its fast one, and the one that computes the equations alone.
std::vector<std::shared_ptr<const Scorer>> scorers_of(const EncoderDecoder& model, const ModelConfig& config,
                                                      std::int64_t max_target_length = 100) {
  return {make_scorer(model, config, max_target_length),
          make_scorer(model, config, max_target_length, WeightPrecision::kFloat32, /*plain=*/true)};
}

/// The weights of all pairs.
std::vector<at::Tensor> attention_of(const Scorer& scorer, const AttentionSite& site, const Rows& sources,
                                     const Rows& targets, std::int64_t batch_size = 1, std::int64_t workers = 1) {
  std::vector<at::Tensor> result(sources.size());
  forced_attention(
      scorer, site, sources, targets, batch_size,
      [&](std::size_t pair, const at::Tensor& weights) {
        EXPECT_FALSE(result.at(pair).defined());
        result.at(pair) = weights;
      },
      {}, workers);
  return result;
}

class AlignmentTest : public DeviceTest {
 protected:
  std::vector<at::Tensor> align(const AttentionSite& site, std::int64_t batch_size = 1) {
    return attention_of(*make_scorer(model_, small_config(), 100), site, sources_, targets_, batch_size);
  }

  EncoderDecoder model_ = small_model(device());
  Rows sources_ = small_sources();
  Rows targets_ = {{12, 13}, {14, 15, 16, 17, 18}, {19}};
};

TEST_P(AlignmentTest, WeightsAreThoseThatAProbeSeesWhenTheTargetIsForced) {
  for (const auto& scorer : scorers_of(model_, small_config())) {
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      const auto mean = attention_of(*scorer, {layer, std::nullopt}, sources_, targets_, 2);
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        const c10::InferenceMode inference;
        Ids input = {kBos};
        input.insert(input.end(), targets_[i].begin(), targets_[i].end() - 1);
        Watcher watcher("decoder.layers." + std::to_string(layer) + ".cross_attention");
        Pass pass;
        pass.probe = &watcher;
        model_->forward(pad(Rows{sources_[i]}, device()), pad(Rows{input}, device()), pass);
        const auto seen = watcher.seen[0];  // [H, T, S]
        EXPECT_THAT(mean[i], AllClose(seen.mean(0), 1e-5));
        for (std::int64_t head = 0; head < 4; ++head)
          EXPECT_THAT(attention_of(*scorer, {layer, head}, {sources_[i]}, {targets_[i]})[0],
                      AllClose(seen[head], 1e-5));
      }
    }
  }
}

TEST_P(AlignmentTest, TheLastLayerIsTheDefault) {
  for (const auto& scorer : scorers_of(model_, small_config())) {
    const auto wanted = attention_of(*scorer, {1, 2}, sources_, targets_);
    const auto got = attention_of(*scorer, {std::nullopt, 2}, sources_, targets_);
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_THAT(got[i], SameAs(wanted[i]));
  }
}

TEST_P(AlignmentTest, AStepOfASearchHasTheSameWeights) {
  for (const auto& scorer : scorers_of(model_, small_config())) {
    const auto wanted = attention_of(*scorer, {0, 1}, {sources_[1]}, {targets_[1]})[0];  // [T, S]
    const auto state = scorer->start(pad(Rows{sources_[1]}, device()));
    Id last = kBos;
    for (std::int64_t t = 0; t < wanted.size(0); ++t) {
      const auto step = scorer->step(*state, Ids{last}, AttentionSite{0, 1});
      EXPECT_THAT(step.attention[0].cpu(), SameAs(wanted[t]));
      last = targets_[1][static_cast<std::size_t>(t)];
    }
  }
}

TEST_P(AlignmentTest, EachPieceSharesOutAllOfItsAttention) {
  const auto all = align({1, 2}, 3);
  ASSERT_FALSE(all.empty());
  for (const auto& weights : all) {
    EXPECT_THAT(weights.sum(1), AllClose(at::ones({weights.size(0)}), 1e-5));
    EXPECT_GE(weights.min().item<float>(), 0);
  }
}

TEST_P(AlignmentTest, NeighborsChangeNothing) {
  for (const auto& scorer : scorers_of(model_, small_config())) {
    const auto alone = attention_of(*scorer, {}, sources_, targets_);
    for (const std::int64_t batch_size : {2, 3, 64}) {
      const auto beside = attention_of(*scorer, {}, sources_, targets_, batch_size);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        if (device().is_cpu())
          EXPECT_THAT(beside[i], SameAs(alone[i])) << batch_size;
        else
          EXPECT_THAT(beside[i], AllClose(alone[i], 1e-5)) << batch_size;
      }
    }
  }
}

// At a size at which a matrix product is shared between threads.
TEST_P(AlignmentTest, ResultDoesNotDependOnThreads) {
  if (!device().is_cpu()) return;
  auto config = small_config();
  config.d_model = 512;
  config.d_ff = 1024;
  config.max_positions = 64;
  model_ = small_model(device(), config);
  Ids source, target;
  for (Id i = 0; i < 40; ++i) {
    source.push_back(4 + i % 16);
    target.push_back(4 + i * 7 % 16);
  }
  source.push_back(kEos);
  const Rows some_sources(3, source), some_targets(3, target);
  for (const auto& scorer : scorers_of(model_, config)) {
    const auto wanted = [&] {
      const ThreadCount one(1);
      return attention_of(*scorer, {}, {source}, {target})[0];
    }();
    const ThreadCount four(4);
    EXPECT_THAT(attention_of(*scorer, {}, {source}, {target})[0], SameAs(wanted));
    for (const std::int64_t workers : {1, 3})
      for (const auto& weights : attention_of(*scorer, {}, some_sources, some_targets, 1, workers))
        EXPECT_THAT(weights, SameAs(wanted));
  }
}

TEST_P(AlignmentTest, AnEmptyTargetHasNoWeights) {
  targets_[1].clear();
  const auto weights = align({0, std::nullopt}, 2);
  EXPECT_EQ(weights[1].sizes(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(weights[2].sizes(), (std::vector<std::int64_t>{1, 2}));
}

TEST_P(AlignmentTest, AGreedySearchKeepsTheWeightsThatForcingItsTranslationHas) {
  const std::vector<Ids> prefixes = {{12, 13}, {}, {14}};
  for (const auto& scorer : scorers_of(model_, small_config()))
    for (const AttentionSite site : {AttentionSite{}, AttentionSite{0, 3}}) {
      const DecodingConfig config{.beam_size = 1, .max_length = 7, .min_length = 3};
      const auto found = greedy_search(*scorer, pad(sources_, device()), config, {.prefixes = prefixes, .site = site});
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        ASSERT_FALSE(found[i].ids.empty());
        const auto forced = attention_of(*scorer, site, {sources_[i]}, {found[i].ids})[0].contiguous();  // [T, S]
        const std::vector<float> wanted(forced.const_data_ptr<float>(),
                                        forced.const_data_ptr<float>() + forced.numel());
        if (device().is_cpu())
          EXPECT_EQ(found[i].attention, wanted);
        else
          EXPECT_THAT(found[i].attention, testing::Pointwise(testing::FloatNear(1e-5F), wanted));
      }
      EXPECT_THAT(greedy_search(*scorer, pad(sources_, device()), config)[0].attention, testing::IsEmpty());
    }
}

// Else all sentences' would live until the last one is computed.
TEST_P(AlignmentTest, WeightsAreLetGoBatchByBatch) {
  sources_.insert(sources_.end(), {sources_[0], sources_[1]});
  targets_.insert(targets_.end(), {targets_[0], targets_[1]});
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> seen;
  forced_attention(*make_scorer(model_, small_config(), 100), {}, sources_, targets_, 2,
                   [&](std::size_t, const at::Tensor& weights) {
                     seen.push_back(weights.storage().getWeakStorageImpl());
                     std::size_t living = 0;
                     for (const auto& storage : seen) living += storage.expired() ? 0 : 1;
                     EXPECT_LE(living, 2u);
                   });
  EXPECT_EQ(seen.size(), 5u);
}

TEST_P(AlignmentTest, UnequalCountsAndEmptyBatchesAreRefused) {
  EXPECT_THROW(align({0, std::nullopt}, 0), UsageError);
  targets_.pop_back();
  EXPECT_THROW(align({0, std::nullopt}), UsageError);
}

TEST_P(AlignmentTest, MayBeCanceledBeforeAnyStep) {
  int calls = 0, taken = 0;
  const auto give_up = [&] {
    if (++calls == 4) throw std::runtime_error("enough");  // before the second batch
  };
  sources_ = {sources_[0], sources_[2]};
  targets_ = {{19, 12}, {19}};
  EXPECT_THAT(
      [&] {
        forced_attention(
            *make_scorer(model_, small_config(), 100), {}, sources_, targets_, 1,
            [&](std::size_t, const at::Tensor&) { ++taken; }, give_up);
      },
      ThrowsMessage<std::runtime_error>("enough"));
  EXPECT_EQ(calls, 4) << "it was called after the exception";
  EXPECT_EQ(taken, 1);
}

// A translation may be as long as there are positions, its eos left out.
TEST_P(AlignmentTest, TargetsMayFillTheLearnedPositions) {
  auto config = small_config();
  config.positions = Positions::kLearned;
  config.max_positions = 6;
  model_ = small_model(device(), config);
  targets_[1] = {14, 15, 16, 17, 18, 14};
  for (const auto& scorer : scorers_of(model_, config, 6)) {
    EXPECT_EQ(attention_of(*scorer, {}, sources_, targets_)[1].size(0), 6);
    auto longer = targets_;
    longer[1].push_back(14);
    EXPECT_THROW(attention_of(*scorer, {}, sources_, longer), DataError);
  }
}

TEST_P(AlignmentTest, AModelWithoutAttentionIsSaidToHaveNone) {
  auto config = small_config();
  config.architecture = Architecture::kRecurrent;
  config.recurrent_attention = RecurrentAttention::kNone;
  model_ = small_model(device(), config);
  const auto take = [](std::size_t, const at::Tensor&) { ADD_FAILURE() << "there are no weights"; };
  for (const std::int64_t workers : {1, 2})
    EXPECT_FALSE(forced_attention(*make_scorer(model_, config, 100), {}, sources_, targets_, 1, take, {}, workers));
}

TEST_P(AlignmentTest, AWordAlignmentAgreesWithPyTorchs) {
  const std::filesystem::path folder = GLOSS_GOLDEN_FOLDER;
  const auto loaded = read_model_file(folder / "tiny_model.safetensors", device());
  const SentencePieceTokenizer tokenizer(loaded.description.tokenizers.at("tokenizer.model"), "tiny_model");
  std::ifstream file(folder / "alignment.json");
  const auto cases = parse_json(std::string{std::istreambuf_iterator<char>(file), {}}).at("cases");
  ASSERT_EQ(cases.size(), 4u);
  for (const auto& golden : cases) {
    const auto source = tokenizer.encode_with_spans(golden.at("source").get<std::string>());
    const auto target = tokenizer.decode_with_spans(golden.at("target_ids").get<Ids>());
    Rows source_ids = {source.ids};
    const Rows target_ids = {target.ids};
    source_ids[0].push_back(kEos);
    ASSERT_FALSE(golden.at("sites").empty());
    for (const auto& [name, wanted] : golden.at("sites").items()) {
      const auto site = parse_attention_site(name, loaded.config);
      const auto weights =
          attention_of(*make_scorer(loaded.model, loaded.config, 100), site, source_ids, target_ids)[0];
      const auto rows = wanted.at("weights").get<std::vector<std::vector<double>>>();
      ASSERT_EQ(weights.size(0), std::ssize(rows));
      for (std::int64_t t = 0; t < weights.size(0); ++t)
        EXPECT_THAT(weights[t], AllClose(at::tensor(rows[static_cast<std::size_t>(t)]), 1e-5)) << name;
      const auto links = word_links(words_of(source), words_of(target), strongest_links(weights));
      EXPECT_EQ(to_pharaoh(links), wanted.at("alignment").get<std::string>()) << name;
    }
  }
}

INSTANTIATE_DEVICES(AlignmentTest);

TEST(StrongestLinksTest, AreTheGreatestOfEachRowAndTheEndIsNoPiece) {
  const auto links = strongest_links(at::tensor({0.1F, 0.6F, 0.3F, 0.2F, 0.1F, 0.7F, 0.4F, 0.4F, 0.2F}).view({3, 3}));
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].source, 1);
  EXPECT_FALSE(links[0].to_end);
  EXPECT_EQ(links[1].source, 0);
  EXPECT_TRUE(links[1].to_end);
  EXPECT_EQ(links[2].source, 0);
  EXPECT_FALSE(links[2].to_end);
}

TEST(StrongestLinksTest, LanguageTagsAreNoPiecesEither) {
  const auto weights =
      at::tensor({0.1F, 0.5F, 0.3F, 0.1F, 0.6F, 0.1F, 0.2F, 0.1F, 0.2F, 0.1F, 0.3F, 0.4F}).view({3, 4});
  const auto links = strongest_links(weights, 1);
  EXPECT_EQ(links[0].source, 1);
  EXPECT_FALSE(links[0].to_end);
  EXPECT_EQ(links[1].source, 2);
  EXPECT_TRUE(links[1].to_end) << "the tag has more attention";
  EXPECT_EQ(links[2].source, 2);
  EXPECT_TRUE(links[2].to_end);
  EXPECT_EQ(strongest_links(at::ones({1, 2}), 1)[0].source, -1);
}

TEST(StrongestLinksTest, ASourceWithoutAnEndHasAPieceInItsLastPlace) {
  const auto links = strongest_links(at::tensor({0.4F, 0.1F, 0.6F, 0.5F, 0.1F, 0.4F}).view({2, 3}), 1, false);
  EXPECT_EQ(links[0].source, 2);
  EXPECT_FALSE(links[0].to_end);
  EXPECT_EQ(links[1].source, 2);
  EXPECT_TRUE(links[1].to_end) << "the tag has more attention";
}

TEST(StrongestLinksTest, OfNothingButTheEndThereIsNone) {
  const auto links = strongest_links(at::ones({2, 1}));
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[1].source, -1);
  EXPECT_TRUE(links[1].to_end);
}

TEST(AttentionSiteTest, NamesLayerAndHead) {
  const auto config = small_config();  // two layers, four heads
  const auto layer = parse_attention_site("decoder.1.cross", config);
  EXPECT_EQ(layer.layer, 1);
  EXPECT_FALSE(layer.head);
  const auto head = parse_attention_site("decoder.0.cross.3", config);
  EXPECT_EQ(head.layer, 0);
  EXPECT_EQ(head.head, 3);
  EXPECT_EQ(default_attention_site(config).layer, 1);
  EXPECT_FALSE(default_attention_site(config).head);
}

TEST(AttentionSiteTest, ARecurrentDecoderAttendsInItsFirstLayerOrNowhere) {
  auto config = small_config();
  config.architecture = Architecture::kRecurrent;
  EXPECT_EQ(parse_attention_site("decoder.0.cross.3", config).head, 3);
  const auto message = [&](const char* name) {
    try {
      parse_attention_site(name, config);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message("decoder.1.cross").find("with a layer from 0 to 0 and"), std::string::npos);
  config.recurrent_attention = RecurrentAttention::kNone;
  EXPECT_NE(message("decoder.0.cross").find("this model has no attention to its source"), std::string::npos);
}

TEST(AttentionSiteTest, WhatTheModelHasNotIsRefusedWithWhatItHas) {
  for (const auto* name : {"",
                           "decoder",
                           "decoder.2.cross",
                           "decoder.1.cross.4",
                           "decoder.-1.cross",
                           "decoder.1.self.2",
                           "encoder.1.cross",
                           "decoder.1.cross.",
                           "decoder.1.cross.1.1",
                           "decoder.x.cross",
                           "decoder..cross",
                           "decoder.1.cross.1x",
                           "decoder.1",
                           "decoder.99999999999999999999.cross",
                           "decoder.00.cross",
                           "decoder.01.cross",
                           "decoder.1.cross.00",
                           "decoder.+1.cross",
                           "decoder. 1.cross",
                           "decoder.1.cross.1 ",
                           "decoder.-0.cross",
                           " decoder.1.cross"})
    EXPECT_THAT([&] { parse_attention_site(name, small_config()); },
                ThrowsMessage<UsageError>(
                    AllOf(HasSubstr("a layer from 0 to 1 and a head from 0 to 3, got "), testing::EndsWith(name))))
        << name;
}

}  // namespace
}  // namespace gloss
