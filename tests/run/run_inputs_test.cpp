#include "run/run_inputs.h"

#include <map>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/sha256.h"
#include "common/files/text_pairs.h"
#include "tests/run/small_job.h"

namespace gloss {
namespace {

using testing::ElementsAre;

class RunIdentityTest : public testing::Test {
 protected:
  RunIdentityTest() {
    testing::internal::CaptureStderr();
    tokenizers_.emplace(job_.config, RunFolder(job_ / "run", false, false));
    testing::internal::GetCapturedStderr();
  }

  Json identity() const {
    const auto& data = job_.config.data;
    const auto corpus = ParallelCorpus::read(data.train_source, data.train_target, *tokenizers_->source(),
                                             *tokenizers_->target(), {.max_length = data.max_length});
    std::optional<Validator> validator;
    if (!data.valid_source.empty())
      validator.emplace(job_.config, read_line_pairs(data.valid_source, data.valid_target), tokenizers_->source(),
                        tokenizers_->target());
    return run_identity(job_.config, *tokenizers_, corpus, validator);
  }

  SmallJob job_;
  std::optional<RunTokenizers> tokenizers_;
};

TEST_F(RunIdentityTest, ChangesWithSettingsThatChangeTheResult) {
  const auto before = identity();
  EXPECT_EQ(identity(), before);
  const auto config = job_.config;
  job_.config.training.max_steps = 99;
  job_.config.training.max_epochs = 9;
  job_.config.training.max_hours = 9;
  job_.config.training.validate_every = job_.config.training.save_every = job_.config.training.keep_checkpoints = 9;
  job_.config.training.early_stop.patience = 9;
  job_.config.decoding.beam_size = 4;
  job_.config.decoding.coverage_penalty = 0.2;
  job_.config.decoding.sampling.enabled = true;
  EXPECT_EQ(identity(), before) << "harmless";
  const auto changes = [&](auto&& change, const std::string& key) {
    job_.config = config;
    change();
    const auto after = identity();
    std::vector<std::string> different;
    for (const auto& [name, hash] : after.items())
      if (before.at(name) != hash) different.push_back(name);
    EXPECT_THAT(different, ElementsAre(key));
  };
  changes([&] { job_.config.seed = 4; }, "seed");
  changes([&] { job_.config.training.learning_rate = 2; }, "training.learning_rate");
  changes([&] { job_.config.training.average_last = 2; }, "training.average_last");
  changes([&] { job_.config.training.ema_decay = 0.9; }, "training.ema_decay");
  changes([&] { job_.config.training.early_stop.metric = EarlyStopMetric::kLoss; }, "training.early_stop");
  changes([&] { job_.config.data.batch_tokens = 511; }, "data.batch_tokens");
  changes([&] { job_.config.model.d_ff = 24; }, "model.d_ff");
  changes([&] { job_.config.decoding.max_length = 7; }, "decoding.max_length");
  changes([&] { job_.config.decoding.min_length = 1; }, "decoding.min_length");
  for (const auto& [key, value] :
       std::map<std::string, Json>{{"no_repeat_ngram", 3}, {"repetition_penalty", 1.5}, {"no_unk", true}}) {
    const auto decoding = read_decoding_config(ConfigSection(Json{{key, value}}, "decoding"));
    job_.config = config;
    job_.config.decoding.no_repeat_ngram = decoding.no_repeat_ngram;
    job_.config.decoding.repetition_penalty = decoding.repetition_penalty;
    job_.config.decoding.no_unk = decoding.no_unk;
    EXPECT_EQ(identity().at("decoding." + key), value) << "and it is absent where it has no effect";
    EXPECT_FALSE(before.contains("decoding." + key));
  }
  job_.config = config;
  job_.config.plain = true;
  auto plain = identity();
  EXPECT_EQ(plain.at("--plain"), true) << "and it is absent otherwise: earlier runs can be resumed";
  plain.erase("--plain");
  EXPECT_EQ(plain, before);
  changes([&] { std::swap(job_.config.data.valid_source, job_.config.data.test_source); }, "validation set");
}

TEST_F(RunIdentityTest, RunsOfVersionsWithoutTextDefaultsCanBeResumed) {
  const auto before = identity();
  for (const auto* key : {"defaults", "data.hold_out", "data.source_language"}) EXPECT_FALSE(before.contains(key));
  job_.config.defaults = DefaultsKind::kText;
  job_.config.data.source_language = "en";
  EXPECT_EQ(identity(), before);
  job_.config.data.valid_source = job_.config.data.valid_target = "";
  job_.config.data.hold_out = true;
  EXPECT_EQ(identity().at("data.hold_out"), true);
}

TEST_F(RunIdentityTest, WithoutValidationNothingOfDecodingMatters) {
  job_.config.data.valid_source = job_.config.data.valid_target = "";
  const auto before = identity();
  EXPECT_FALSE(before.contains("validation set"));
  job_.config.decoding.max_length = 7;
  job_.config.decoding.min_length = 1;
  EXPECT_EQ(identity(), before);
}

TEST_F(RunIdentityTest, HasTheSumOfEachTokenizerAndNoPath) {
  const auto identity = this->identity();
  EXPECT_EQ(identity.at("tokenizer.model"), sha256(tokenizers_->source()->serialized()));
  EXPECT_EQ(to_text(identity).find((job_ / "").parent_path().filename().string()), std::string::npos);
  const auto settings = settings_identity(job_.config);
  ASSERT_FALSE(settings.empty());
  for (const auto& [key, value] : settings.items()) EXPECT_EQ(identity.at(key), value) << key;
}

}  // namespace
}  // namespace gloss
