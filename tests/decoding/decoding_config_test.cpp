#include "decoding/decoding_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

DecodingConfig read(const Json& json) {
  const auto config = read_decoding_config(ConfigSection(json, "decoding"));
  config.validate();
  return config;
}

void expect_refused(const Json& json, const std::string& key) {
  SCOPED_TRACE(json.dump());
  EXPECT_THAT([&] { read(json); }, ThrowsMessage<UsageError>(HasSubstr("decoding." + key)));
}

TEST(DecodingConfigTest, EmptySectionGivesTheDefaults) {
  const auto config = read(Json::object());
  EXPECT_EQ(config.beam_size, 5);
  EXPECT_EQ(config.length_penalty, 1.0);
  EXPECT_EQ(config.length_penalty_kind, LengthPenaltyKind::kPower);
  EXPECT_EQ(config.patience, 1.0);
  EXPECT_EQ(config.max_length, 256);
  EXPECT_EQ(config.min_length, 0);
  EXPECT_EQ(config.n_best, 1);
  EXPECT_EQ(config.batch_size, 64);
  EXPECT_EQ(config.coverage_penalty, 0);
  EXPECT_EQ(config.no_repeat_ngram, 0);
  EXPECT_EQ(config.repetition_penalty, 1);
  EXPECT_FALSE(config.no_unk);
  EXPECT_TRUE(config.shortlist);
  EXPECT_FALSE(config.shrinking_beam);
  EXPECT_EQ(config.max_length_factor, 0);
  EXPECT_FALSE(config.sampling.enabled);
  EXPECT_EQ(config.sampling.temperature, 1);
  EXPECT_EQ(config.sampling.top_k, 0);
  EXPECT_EQ(config.sampling.top_p, 1);
}

TEST(DecodingConfigTest, EveryKeySurvivesWritingAndReading) {
  const Json sampling = {{"enabled", true}, {"temperature", 0.7}, {"top_k", 10}, {"top_p", 0.9}, {"seed", 4}};
  const Json json = {{"beam_size", 7},
                     {"length_penalty", 0.6},
                     {"length_penalty_kind", "gnmt"},
                     {"patience", 2.5},
                     {"max_length", 99},
                     {"min_length", 2},
                     {"coverage_penalty", 0.2},
                     {"no_repeat_ngram", 3},
                     {"repetition_penalty", 1.2},
                     {"no_unk", true},
                     {"shortlist", false},
                     {"shrinking_beam", true},
                     {"max_length_factor", 2.5},
                     {"n_best", 3},
                     {"batch_size", 11},
                     {"alignment_from", "decoder.1.cross.0"},
                     {"sampling", sampling}};
  EXPECT_EQ(to_json(read(json)), json);
}

TEST(DecodingConfigTest, RefusesValuesOutOfRangeByName) {
  for (const auto& beam : {Json(0), Json(-1), Json(1'000'000'000), Json(3.5)})
    expect_refused({{"beam_size", beam}}, "beam_size");
  for (const auto& length : {Json(0), Json(-4), Json(1'000'000)})
    expect_refused({{"max_length", length}}, "max_length");
  for (const auto& size : {Json(0), Json(-4), Json(1'000'000)}) expect_refused({{"batch_size", size}}, "batch_size");
  for (const auto& penalty : {-0.1, 10.5}) expect_refused({{"length_penalty", penalty}}, "length_penalty");
  for (const auto& patience : {0.0, -1.0, 101.0}) expect_refused({{"patience", patience}}, "patience");
  for (const auto& penalty : {-0.1, 10.5}) expect_refused({{"coverage_penalty", penalty}}, "coverage_penalty");
  for (const auto& penalty : {-1.0, 0.0, 10.5}) expect_refused({{"repetition_penalty", penalty}}, "repetition_penalty");
  for (const auto& length : {Json(-1), Json(101)}) expect_refused({{"no_repeat_ngram", length}}, "no_repeat_ngram");
  expect_refused({{"length_penalty_kind", "google"}}, "length_penalty_kind");
  expect_refused({{"n_best", 0}}, "n_best");
  expect_refused({{"beam_sise", 4}}, "beam_sise");
}

TEST(DecodingConfigTest, RefusesValuesOfSamplingOutOfRangeByName) {
  const auto refused = [](const std::string& key, const Json& value) {
    expect_refused({{"sampling", {{key, value}}}}, "sampling." + key);
  };
  for (const auto& temperature : {0.0, -1.0, 101.0}) refused("temperature", temperature);
  for (const auto& top_k : {-1, 1'000'001}) refused("top_k", top_k);
  for (const auto& top_p : {0.0, -0.5, 1.01}) refused("top_p", top_p);
  refused("seed", -1);
  refused("topp", 0.5);
}

TEST(DecodingConfigTest, WhatIsDrawnMayBeMoreThanTheBeam) {
  EXPECT_EQ(read({{"beam_size", 2}, {"n_best", 9}, {"sampling", {{"enabled", true}}}}).n_best, 9);
  expect_refused({{"n_best", 1001}, {"sampling", {{"enabled", true}}}}, "n_best");
  expect_refused({{"n_best", 0}, {"sampling", {{"enabled", true}}}}, "n_best");
}

TEST(DecodingConfigTest, MaxLengthLimitsTargets) {
  EXPECT_EQ(read({{"max_length", 4096}, {"min_length", 4096}}).max_length, 4096);
  expect_refused({{"max_length", 4097}}, "max_length: wanted a whole number from 1 to 4096");
}

TEST(DecodingConfigTest, ErrorsNameTheExpectedAndTheActualValue) {
  EXPECT_THAT(
      [] {
        read({{"beam_size", 1'000'000'000}});
      },
      ThrowsMessage<UsageError>(
          AllOf(HasSubstr("decoding.beam_size"), HasSubstr("1 to 1000"), HasSubstr("1000000000"))));
}

TEST(DecodingConfigTest, RefusesMoreHypothesesThanTheBeamCanFinish) {
  expect_refused({{"beam_size", 4}, {"n_best", 5}}, "n_best");
  expect_refused({{"beam_size", 4}, {"patience", 0.5}, {"n_best", 3}}, "n_best");
  EXPECT_EQ(read({{"beam_size", 4}, {"patience", 0.5}, {"n_best", 2}}).n_best, 2);
}

TEST(DecodingConfigTest, RefusesAMinimumBeyondTheMaximumOfLength) {
  expect_refused({{"min_length", -1}}, "min_length");
  expect_refused({{"max_length", 4}, {"min_length", 5}}, "min_length");
  EXPECT_EQ(read({{"max_length", 4}, {"min_length", 4}}).min_length, 4);
}

TEST(DecodingConfigTest, PatienceIsRoundedToWholeHypotheses) {
  EXPECT_EQ(read({{"beam_size", 3}, {"patience", 1.1}}).enough_finished(), 3);
  EXPECT_EQ(read({{"beam_size", 5}, {"patience", 0.5}}).enough_finished(), 3);
  EXPECT_EQ(read({{"beam_size", 2}, {"patience", 0.1}}).enough_finished(), 1);
}

TEST(DecodingConfigTest, GreedyDecodingHasNothingThatASearchForOneTokenLacks) {
  const auto greedy = greedy_decoding(
      {.beam_size = 4, .coverage_penalty = 0.5, .min_length = 2, .n_best = 3, .sampling = {.enabled = true}});
  EXPECT_EQ(greedy.beam_size, 1);
  EXPECT_EQ(greedy.n_best, 1);
  EXPECT_EQ(greedy.coverage_penalty, 0);
  EXPECT_FALSE(greedy.sampling.enabled);
  EXPECT_EQ(greedy.min_length, 2);
}

}  // namespace
}  // namespace gloss
