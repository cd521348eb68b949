#include "training/training_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TrainingConfig read(const Json& json) {
  auto config = read_training_config(ConfigSection(json, "training"));
  config.validate();
  return config;
}

// A value for every key, and not the default unless another key excludes all others.
Json every_key() {
  return {{"max_steps", 7},
          {"max_epochs", 3},
          {"learning_rate", 0.5},
          {"schedule", "inverse_sqrt"},
          {"warmup_steps", 10},
          {"beta1", 0.8},
          {"beta2", 0.9},
          {"epsilon", 1e-6},
          {"label_smoothing", 0.2},
          {"accumulate", 2},
          {"shards", 3},
          {"clip_norm", 1.5},
          {"validate_every", 4},
          {"save_every", 5},
          {"keep_checkpoints", 6},
          {"average_last", 0},
          {"early_stop", {{"metric", "perplexity"}, {"patience", 9}}},
          {"precision", "float32"},
          {"quantize", "int8_matrix"},
          {"guided_alignment", 0.2},
          {"guided_alignment_head", "decoder.1.cross.0"},
          {"ema_decay", 0.99},
          {"max_hours", 1.5},
          {"start_from", "model"},
          {"freeze", {"encoder"}},
          {"initial_embeddings", {{"source", ""}, {"target", ""}}}};
}

TEST(TrainingConfigTest, EveryKeyIsReadAndWritten) {
  EXPECT_EQ(to_json(read(every_key())), every_key());
  EXPECT_EQ(read({{"average_last", 8}}).average_last, 8);
  const Json files = {{"source", "a"}, {"target", "b"}};
  EXPECT_EQ(to_json(read({{"initial_embeddings", files}})).at("initial_embeddings"), files);
}

TEST(TrainingConfigTest, DefaultsReadBackEqual) {
  const Json defaults = to_json(read(Json::object()));
  EXPECT_EQ(to_json(read(defaults)), defaults);
  EXPECT_EQ(defaults.at("label_smoothing"), 0.1);
}

TEST(TrainingConfigTest, EpsilonIsANormalNumberOfFloat32) {
  for (const double epsilon : {0.0, -1e-9, 1e-38, 1e-46, 1e-300, 1e39})
    EXPECT_THAT(
        [&] {
          read({{"epsilon", epsilon}});
        },
        ThrowsMessage<UsageError>(HasSubstr("training.epsilon: wanted a number of float32, from 1.17549436e-38")))
        << epsilon;
  for (const double epsilon : {1.17549436e-38, 1.0}) EXPECT_EQ(read({{"epsilon", epsilon}}).epsilon, epsilon);
}

TEST(TrainingConfigTest, TheLimitThatHoldsWithoutOneIsWrittenToo) {
  EXPECT_EQ(to_json(read(Json::object())).at("max_steps"), 100'000);
  EXPECT_FALSE(to_json(read({{"max_epochs", 2}})).contains("max_steps"));
  EXPECT_FALSE(to_json(read({{"max_steps", 2}})).contains("max_epochs"));
  EXPECT_EQ(to_json(read({{"max_steps", 2}})).at("max_steps"), 2);
  EXPECT_FALSE(to_json(read({{"max_hours", 2}})).contains("max_steps"));
}

TEST(TrainingConfigTest, TheBestAndTheAverageExcludeEachOther) {
  EXPECT_THAT(
      [] {
        read({{"average_last", 2}, {"early_stop", {{"patience", 1}}}});
      },
      ThrowsMessage<UsageError>(HasSubstr("training.average_last: wanted 0 beside")));
}

TEST(TrainingConfigTest, WithoutLimitsARunEndsAfter100000Steps) {
  EXPECT_EQ(read(Json::object()).step_limit(), 100'000);
  EXPECT_EQ(read({{"max_steps", 0}}).step_limit(), 0);
  EXPECT_GT(read({{"max_epochs", 2}}).step_limit(), 4'000'000'000);
  EXPECT_GT(read({{"max_hours", 2}}).step_limit(), 4'000'000'000);
}

TEST(TrainingConfigTest, ErrorsNameTheKeyAndTheValue) {
  const auto refuses = [](const char* key, const Json& value) {
    Json json = every_key();
    if (std::string_view(key).starts_with("early_stop."))
      json["early_stop"][key + sizeof("early_stop.") - 1] = value;
    else
      json[key] = value;
    EXPECT_THAT([&] { read(json); },
                ThrowsMessage<UsageError>(AllOf(HasSubstr(std::string("training.") + key + ": wanted "),
                                                HasSubstr(", got " + value.dump()))));
  };
  refuses("max_steps", -1);
  refuses("max_steps", std::int64_t{1} << 32);
  refuses("max_steps", nullptr);
  refuses("max_epochs", 0);
  refuses("max_hours", 0);
  refuses("ema_decay", 1);
  refuses("ema_decay", -0.1);
  refuses("learning_rate", 0);
  refuses("schedule", "cosine");
  refuses("warmup_steps", 0);
  refuses("beta1", 1);
  refuses("beta2", -0.5);
  refuses("epsilon", 0);
  refuses("label_smoothing", 1);
  refuses("accumulate", 0);
  refuses("shards", 0);
  refuses("shards", 1025);
  refuses("clip_norm", -1);
  refuses("validate_every", -1);
  refuses("save_every", -1);
  refuses("keep_checkpoints", 0);
  refuses("average_last", -1);
  refuses("early_stop.metric", "chrf");
  refuses("early_stop.patience", -1);
  for (const auto* key : {"max_epochs", "warmup_steps", "accumulate", "validate_every", "save_every",
                          "keep_checkpoints", "average_last", "early_stop.patience"})
    refuses(key, std::int64_t{1} << 31);
}

TEST(TrainingConfigTest, UnknownKeysAreRefusedWithTheNearestKnownOne) {
  EXPECT_THAT([] { read({{"max_step", 1}}); }, ThrowsMessage<UsageError>(HasSubstr("\"training.max_steps\"")));
  EXPECT_THAT(
      [] {
        read({{"early_stop", {{"patiense", 1}}}});
      },
      ThrowsMessage<UsageError>(
          AllOf(HasSubstr("training.early_stop.patiense"), HasSubstr("\"training.early_stop.patience\""))));
}

}  // namespace
}  // namespace gloss
