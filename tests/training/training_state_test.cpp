#include "training/training_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;
using testing::ThrowsMessage;

TEST(TrainingStateTest, ReadsBackEqual) {
  TrainingState state;
  state.step = 12;
  state.position = {3, 4};
  state.validated_step = 10;
  state.best_score = 0.1 + 0.2;
  state.best_step = 8;
  state.validations_without_gain = 2;
  state.skipped_updates = 5;
  state.skipped_in_a_row = 1;
  state.unreported_nll = 1.0 / 3;
  state.unreported_tokens = 99;
  state.seconds = 1.0 / 7;
  state.averaged = {checkpoint_name(10), checkpoint_name(12)};
  state.shards = 2;
  state.device = "cuda";
  state.scores = {.start_loss = {{3.5, 0}}, .start_bleu = {}, .best_loss = {{2.5, 8}}, .best_bleu = {{31.25, 10}}};
  state.hashes = {{"config", "abc"}};
  const auto back = read_training_state(parse_json(to_text(to_json(state))), "file");
  EXPECT_EQ(to_json(back), to_json(state));
  EXPECT_EQ(back.best_score, 0.1 + 0.2);
  EXPECT_EQ(back.unreported_nll, 1.0 / 3);
  EXPECT_EQ(back.seconds, 1.0 / 7);
  EXPECT_EQ(back.position, state.position);
  EXPECT_EQ(back.averaged, state.averaged);
  EXPECT_EQ(back.device, "cuda");
}

TEST(TrainingStateTest, ScoresMayBeMissingInOlderFilesAndAreChecked) {
  Json json = to_json(TrainingState{});
  EXPECT_FALSE(json.contains("scores"));
  EXPECT_FALSE(read_training_state(json, "f").scores.best_loss);
  for (const auto* wrong : {R"(3)", R"({"best_loss": 3})", R"({"best_loss": {"value": "x", "step": 1}})",
                            R"({"best_loss": {"value": 1, "step": -1}})"}) {
    json["scores"] = parse_json(wrong);
    EXPECT_THROW(read_training_state(json, "f"), ModelError) << wrong;
  }
}

TEST(TrainingStateTest, DeviceMayBeMissingInOlderFiles) {
  Json json = to_json(TrainingState{});
  EXPECT_FALSE(json.contains("device"));
  EXPECT_EQ(read_training_state(json, "f").device, "");
  for (const Json& wrong : {Json(1), Json("")}) {
    json["device"] = wrong;
    EXPECT_THAT([&] { read_training_state(json, "f"); }, ThrowsMessage<ModelError>(HasSubstr("device")));
  }
}

TEST(TrainingStateTest, WarnsOfEarlierVersionsAndOtherKindsOfDevice) {
  const auto warning = [](std::int64_t shards, const std::string& saved_on) {
    TrainingState saved, now;
    saved.shards = shards;
    saved.device = saved_on;
    now.device = "cpu";
    testing::internal::CaptureStderr();
    warn_of_other_numbers(saved, now);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning(4, "cpu"), "");
  EXPECT_EQ(warning(1, ""), "") << "an older version saved";
  EXPECT_THAT(warning(1, "cuda"), HasSubstr("saved on device cuda and continues with device cpu"));
  EXPECT_THAT(warning(0, "cpu"), AllOf(HasSubstr("older version"), HasSubstr("last bits"), Not(HasSubstr("device"))));
}

TEST(TrainingStateTest, AnOlderVersionWroteThreadsInPlaceOfShards) {
  auto json = to_json(TrainingState{});
  json.erase("shards");
  json["threads"] = 2;
  EXPECT_EQ(read_training_state(json, "f").shards, 0);
}

TEST(TrainingStateTest, MissingWrongOrUnknownKeyIsRefused) {
  const Json good = to_json(TrainingState{});
  for (const auto& [key, value] : good.items()) {
    Json without = good, wrong = good;
    without.erase(key);
    wrong[key] = true;
    for (const Json& bad : {without, wrong})
      EXPECT_THAT([&] { read_training_state(bad, "step-1"); },
                  ThrowsMessage<ModelError>(AllOf(HasSubstr("step-1"), HasSubstr(key))));
  }
  Json more = good;
  more["surprise"] = 1;
  EXPECT_THROW(read_training_state(more, "f"), ModelError);
  Json negative = good;
  negative["position"]["batch"] = -1;
  EXPECT_THROW(read_training_state(negative, "f"), ModelError);
  negative = good;
  negative["seconds"] = -1;
  EXPECT_THROW(read_training_state(negative, "f"), ModelError);
  Json outside = good;
  outside["averaged"] = {"../model.safetensors"};
  EXPECT_THROW(read_training_state(outside, "f"), ModelError);
}

TEST(TrainingStateTest, OtherHashesAreListedByName) {
  const Json saved = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
  EXPECT_NO_THROW(expect_equal_hashes(saved, saved));
  EXPECT_THAT(
      [&] {
        expect_equal_hashes(saved, {{"a", "1"}, {"b", "other"}, {"d", "4"}});
      },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("saved: b, c, d;"), HasSubstr("--overwrite"))));
}

TEST(TrainingStateTest, OtherTextsMayBeThoseOfAnotherVersion) {
  const auto resumed = [](const char* name) { return [name] { expect_equal_hashes({{name, "1"}}, {{name, "2"}}); }; };
  const auto names_version = HasSubstr("; if no text or setting was changed, another version of gloss began the run");
  for (const auto* name : {"training corpus", "validation set"})
    EXPECT_THAT(resumed(name), ThrowsMessage<UsageError>(names_version));
  EXPECT_THAT(resumed("model.d_model"), ThrowsMessage<UsageError>(testing::Not(names_version)));
}

TEST(TrainingStateTest, NullHashEqualsAny) {
  const Json saved = {{"a", "1"}, {"b", "2"}};
  EXPECT_NO_THROW(expect_equal_hashes(saved, {{"a", "1"}, {"b", nullptr}}));
  EXPECT_THAT(
      [&] {
        expect_equal_hashes(saved, {{"a", "1"}, {"b", "2"}, {"c", nullptr}});
      },
      ThrowsMessage<UsageError>(HasSubstr("saved: c;")));
}

TEST(CheckpointNameTest, ReturnsTheStep) {
  EXPECT_EQ(checkpoint_name(7), "step-00000007.safetensors");
  for (const std::int64_t step : {0L, 7L, 99'999'999L, 4'294'967'295L})
    EXPECT_THAT(checkpoint_step(checkpoint_name(step)), Optional(step));
  for (const auto* other : {"step-7.safetensors", "step-0000000x.safetensors", "step--0000007.safetensors",
                            "step-00000007.safetensors.tmp", "best.safetensors", "../step-00000007.safetensors"})
    EXPECT_EQ(checkpoint_step(other), std::nullopt) << other;
}

}  // namespace
}  // namespace gloss
