#include "run/config/start_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

// Returns a model's run file with as few defaults as possible.
RunConfig config_of_model() {
  auto config = parse_run_config(parse_json(R"({
    "tokenizer": {"vocabulary_size": 99, "type": "unigram", "model_file": "somewhere"},
    "model": {"d_model": 24, "heads": 3, "dropout": 0.2, "attention_dropout": 0.1, "feed_forward_dropout": 0.15},
    "decoding": {"beam_size": 7}, "evaluation": {"tokenize": "zh"}})"));
  return config;
}

Json completed(const std::string& run_file) {
  auto json = parse_json(run_file);
  complete_from(config_of_model(), json);
  return json;
}

TEST(CompleteFromTest, EverySectionThatTheRunFileLeavesOutIsTheModels) {
  const auto config = parse_run_config(completed("{}"));
  const auto model = config_of_model();
  EXPECT_EQ(to_json(config.model), to_json(model.model));
  EXPECT_EQ(to_json(config.decoding), to_json(model.decoding));
  EXPECT_EQ(to_json(config.evaluation), to_json(model.evaluation));
  EXPECT_EQ(config.tokenizer.vocabulary_size, 99);
  EXPECT_EQ(config.tokenizer.type, TokenizerType::kUnigram);
  EXPECT_EQ(config.tokenizer.model_file, "") << "its pieces come with it";
}

TEST(CompleteFromTest, TheRunFileMaySetSearchAndScores) {
  const auto config = parse_run_config(completed(R"({"decoding": {"beam_size": 2, "n_best": 2}})"));
  EXPECT_EQ(config.decoding.beam_size, 2);
  EXPECT_EQ(config.decoding.n_best, 2);
  EXPECT_EQ(to_json(config.evaluation), to_json(config_of_model().evaluation));
}

TEST(CompleteFromTest, OneDropoutInTheRunFileStandsForAll) {
  for (const std::string key : {"dropout", "attention_dropout", "feed_forward_dropout"}) {
    const auto model = completed(R"({"model": {")" + key + R"(": 0.3}})").at("model");
    for (const auto* other : {"dropout", "attention_dropout", "feed_forward_dropout"})
      EXPECT_EQ(model.contains(other), other == key) << other << " beside " << key;
    EXPECT_EQ(model.at("heads"), 3);
  }
}

TEST(CompleteFromTest, EveryDifferenceOfModelAndTokenizerIsNamed) {
  EXPECT_THAT([] { completed(R"({"model": {"d_model": 32, "heads": 3}, "tokenizer": {"type": "bpe"}})"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("model.d_model is 24 there and 32 here, tokenizer.type is"),
                                              Not(HasSubstr("heads")))));
}

TEST(CompleteFromTest, MaxPositionsMattersIfPositionsAreLearned) {
  EXPECT_NO_THROW(completed(R"({"model": {"max_positions": 7}})"));
  auto model = config_of_model();
  model.model.positions = Positions::kLearned;
  auto run_file = parse_json(R"({"model": {"max_positions": 7}})");
  EXPECT_THAT([&] { complete_from(model, run_file); }, ThrowsMessage<UsageError>(HasSubstr("model.max_positions is")));
}

}  // namespace
}  // namespace gloss
