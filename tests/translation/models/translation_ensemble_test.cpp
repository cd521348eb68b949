#include "translation/models/translation_ensemble.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/make_model.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"
#include "translation/models/score_pairs.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class TranslationEnsembleTest : public DeviceTest {
 protected:
  std::string trained(const std::filesystem::path& text) const {
    return train_tokenizer(std::vector<std::filesystem::path>{text}, job_.config.tokenizer);
  }
  /// A model file of this seed with the run's settings as they are now.
  std::filesystem::path write(std::uint64_t seed, const std::string& tokenizer) const {
    const auto pieces = SentencePieceTokenizer(tokenizer, "t").vocabulary_size();
    const auto model = make_model(job_.config.model, {pieces, pieces}, RandomStream(seed, "weights"));
    const auto file = job_ / ("model" + std::to_string(seed));
    write_model_file(file, model, {to_portable_json(job_.config), Json::object(), {{"tokenizer.model", tokenizer}}});
    return file;
  }
  static TranslationEnsemble load(const std::vector<std::filesystem::path>& files) {
    return load_translation_ensemble(files, device());
  }
  static std::vector<ScoredPair> scores(const std::vector<std::filesystem::path>& files) {
    return PairScorer(load(files), {}).score({{"a b", "c"}, {"b", "a c"}});
  }

  SmallJob job_;
  std::string tokenizer_ = trained(job_.config.data.train_source);
};

TEST_P(TranslationEnsembleTest, ScoresEachTokenByTheMeanOfTheMembers) {
  const std::vector files = {write(1, tokenizer_), write(2, tokenizer_)};
  const auto one = scores({files[0]}), other = scores({files[1]}), both = scores(files);
  double difference = 0;
  for (std::size_t i = 0; i < both.size(); ++i)
    for (std::size_t t = 0; t < both[i].forced.tokens.size(); ++t) {
      const auto a = std::exp(one[i].forced.tokens[t]), b = std::exp(other[i].forced.tokens[t]);
      EXPECT_NEAR(std::exp(both[i].forced.tokens[t]), (a + b) / 2, 1e-6);
      difference = std::max(difference, std::abs(a - b));
    }
  EXPECT_GT(difference, 1e-3);
}

TEST_P(TranslationEnsembleTest, SettingsAreTheFirstsAndTheSourcesLimitTheLeast) {
  job_.config.data.max_length = 30;
  job_.config.decoding.beam_size = 2;
  const auto first = write(1, tokenizer_);
  job_.config.data.max_length = 20;
  job_.config.decoding.beam_size = 3;
  const auto second = write(2, tokenizer_);
  job_.config.model.positions = Positions::kLearned;
  job_.config.model.max_positions = job_.config.data.max_length = 12;
  const auto third = write(3, tokenizer_);
  EXPECT_EQ(load({first, second}).max_source_length(), 20);
  EXPECT_EQ(load({second, first}).translator().max_source_length(), 20);
  const auto all = load({first, second, third});
  EXPECT_EQ(all.max_source_length(), 12);
  EXPECT_EQ(all.translator().max_source_length(), 12);
  EXPECT_EQ(all.translator().scorer().max_target_length(), 12);
  EXPECT_EQ(all.first().config.decoding.beam_size, 2);
}

TEST_P(TranslationEnsembleTest, AFileThatIsReplacedAlignsAsBefore) {
  const std::vector files = {write(1, tokenizer_)};
  const auto translator = load(files).translator(), kept = load(files).translator();
  const std::vector<std::string> lines = {"a b b a", "b"};
  const TranslationRequest request{.lines = lines, .details = {.alignment = true}};
  const auto before = kept.translate(request, {});
  std::filesystem::rename(write(3, tokenizer_), files.front());
  const auto after = translator.translate(request, {});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(after[i].candidates[0].text, before[i].candidates[0].text);
    EXPECT_EQ(to_pharaoh(after[i].candidates[0].alignment), to_pharaoh(before[i].candidates[0].alignment));
  }
}

// A part that somebody adds to the model has no fast code at first.
TEST_P(TranslationEnsembleTest, ANetworkWithoutFastCodeIgnoresALowerPrecision) {
  if (!device().is_cpu()) GTEST_SKIP() << "refused on other devices";
  auto models = load({write(1, tokenizer_), write(2, tokenizer_)});
  EXPECT_FALSE(models.ignores(WeightPrecision::kInt8));
  for (auto& member : models.members) member.config.model.activation = static_cast<Activation>(7);
  EXPECT_TRUE(models.ignores(WeightPrecision::kInt8));
  EXPECT_FALSE(models.ignores(WeightPrecision::kFloat32));
  EXPECT_FALSE(models.ignores(std::nullopt));
  EXPECT_NO_THROW(models.translator(WeightPrecision::kInt8, /*aligns=*/false));
  EXPECT_THROW(models.translator(WeightPrecision::kInt8, /*aligns=*/false, /*plain=*/true), UsageError);
}

TEST_P(TranslationEnsembleTest, AnotherTokenizerIsRefusedByTheNameOfItsFile) {
  write_lines(job_ / "text", {"xyz zyx", "yxz"});
  const auto first = write(1, tokenizer_), second = write(2, tokenizer_), third = write(3, trained(job_ / "text"));
  EXPECT_THAT(
      [&] {
        load({first, second, third});
      },
      ThrowsMessage<ModelError>(HasSubstr(third.string() + ": wanted the tokenizer of " + first.string())));
  EXPECT_THAT([&] { load({}); }, ThrowsMessage<UsageError>(HasSubstr("model: wanted at least one")));
}

TEST_P(TranslationEnsembleTest, OtherLanguageTagsAreRefusedByTheirKey) {
  const auto first = write(1, tokenizer_);
  job_.config.tokenizer.source_tag = SourceTag::kTarget;
  const auto second = write(2, tokenizer_);
  EXPECT_THAT(
      [&] {
        load({first, second});
      },
      ThrowsMessage<ModelError>(HasSubstr(second.string() + ": tokenizer.source_tag: wanted \"none\", as in ")));
}

INSTANTIATE_DEVICES(TranslationEnsembleTest);

}  // namespace
}  // namespace gloss
