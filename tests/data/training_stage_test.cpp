#include "data/training_stage.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/settings.h"
#include "common/error.h"
#include "data/data_config.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr auto kTwoStages = R"([
    {"sources": [{"source": "a.en", "target": "a.de"}, {"source": "b.en", "target": "b.de", "weight": 0.5}],
     "until_epochs": 2},
    {"sources": [{"source": "b.en", "target": "b.de", "weight": 3}, {"source": "c.en", "target": "c.de"}]}])";

DataConfig read(const std::string& stages) {
  return read_data_config(ConfigSection(parse_json(R"({"stages": )" + stages + "}"), "data"));
}

/// Returns a stage with these texts and other keys.
std::string stage(const std::string& texts, const std::string& more = "") {
  return R"({"sources": [)" + texts + "]" + more + "}";
}

const std::string kText = R"({"source": "a", "target": "b"})", kEnd = R"(, "until_epochs": 1)";

void refuses(const std::string& stages, const std::string& message) {
  EXPECT_THAT([&] { read(stages).validate(); }, ThrowsMessage<UsageError>(HasSubstr(message))) << stages;
}

TEST(TrainingStageTest, ReadsTextsWeightsAndLengths) {
  const auto config = read(kTwoStages);
  EXPECT_NO_THROW(config.validate());
  ASSERT_EQ(config.stages.size(), 2u);
  EXPECT_EQ(config.stages[0].until_epochs, 2);
  EXPECT_FALSE(config.stages[1].until_epochs);
  EXPECT_EQ(config.stages[0].sources[0].weight, 1);
  EXPECT_EQ(config.stages[0].sources[1].weight, 0.5);
  EXPECT_EQ(config.stages[0].sources[1].target, "b.de");
  const auto json = to_json(config);
  EXPECT_EQ(to_json(read(to_text(json.at("stages")))), json) << "what is written can be read";
}

TEST(TrainingStageTest, TextsAreInTheOrderOfTheirFirstUse) {
  const auto texts = texts_of(read(kTwoStages).stages);
  EXPECT_THAT(texts.files,
              ElementsAre(TextFiles{"a.en", "a.de"}, TextFiles{"b.en", "b.de"}, TextFiles{"c.en", "c.de"}));
  EXPECT_THAT(texts.of_stage, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
  EXPECT_EQ(read(kTwoStages).training_texts(), texts.files);
}

TEST(TrainingStageTest, TextsAreComparedWithEarlierOnesOfACommonStage) {
  EXPECT_THAT(earlier_texts_of_stages(texts_of(read(kTwoStages).stages)),
              ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1)));
  const auto backwards = read("[" + stage(R"({"source": "a", "target": "A"}, {"source": "b", "target": "B"})", kEnd) +
                              ", " + stage(R"({"source": "c", "target": "C"}, {"source": "a", "target": "A"})") + "]");
  EXPECT_THAT(earlier_texts_of_stages(texts_of(backwards.stages)),
              ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(0)))
      << "the order in a stage does not matter";
}

TEST(TrainingStageTest, TheTwoKeysOfOneTextAreOneStage) {
  DataConfig config;
  EXPECT_THAT(config.training_texts(), IsEmpty());
  EXPECT_THAT(config.training_stages(), IsEmpty());
  config.train_source = "a";
  config.train_target = "b";
  EXPECT_THAT(config.training_texts(), ElementsAre(TextFiles{"a", "b"}));
  ASSERT_EQ(config.training_stages().size(), 1u);
  EXPECT_EQ(config.training_stages()[0].sources[0].weight, 1);
}

TEST(TrainingStageTest, UnknownKeysAndWrongTypesAreNamed) {
  refuses("7", "data.stages: wanted a list of objects, got 7");
  refuses("[7]", "data.stages[0]: wanted an object, got 7");
  refuses(R"([{"source": []}])", "data.stages[0].source: unknown key; did you mean \"data.stages[0].sources\"?");
  refuses(R"([{"sources": {}}])", "data.stages[0].sources: wanted a list of objects, got {}");
  refuses("[" + stage(kText, kEnd) + ", " + stage(R"({"source": "a", "target": "b", "weigth": 2})") + "]",
          "data.stages[1].sources[0].weigth: unknown key; did you mean \"data.stages[1].sources[0].weight\"?");
  refuses("[" + stage(R"({"source": 1})") + "]", "data.stages[0].sources[0].source: wanted a string, got 1");
  refuses("[" + stage(R"({"source": "a", "target": "b", "weight": "2"})") + "]",
          "data.stages[0].sources[0].weight: wanted a number, got \"2\"");
  refuses("[" + stage(kText, R"(, "until_epochs": 1.5)") + "]", "data.stages[0].until_epochs: wanted a whole number");
}

TEST(TrainingStageTest, StagesThatCannotBeTrainedOnAreRefusedByKey) {
  const auto with_weight = [](const std::string& weight) {
    return "[" + stage(kText + R"(, {"source": "c", "target": "d", "weight": )" + weight + "}") + "]";
  };
  refuses("[{}]", "data.stages[0].sources: wanted a text or more, got []");
  refuses("[" + stage("") + "]", "data.stages[0].sources: wanted a text or more, got []");
  refuses("[" + stage(R"({"source": "a"})") + "]", "data.stages[0].sources[0].target: wanted the file");
  refuses("[" + stage(R"({"target": "a"})") + "]", "data.stages[0].sources[0].source: wanted the file");
  for (const std::string weight : {"0", "-1", "1e-7", "1000.5", "1e300"})
    refuses(with_weight(weight), "data.stages[0].sources[1].weight: wanted a number from 0.000001 to 1000, got ");
  for (const std::string weight : {"0.000001", "1000", "1"}) EXPECT_NO_THROW(read(with_weight(weight)).validate());
  refuses("[" + stage(kText + ", " + kText) + "]", "data.stages[0].sources[1]: wanted each text once in a stage");
  refuses("[" + stage(kText) + ", " + stage(kText) + "]",
          "data.stages[0].until_epochs: wanted the number of the stage");
  refuses("[" + stage(kText, R"(, "until_epochs": 0)") + ", " + stage(kText) + "]",
          "data.stages[0].until_epochs: wanted the number of the stage's epochs, from 1 to 1000000000, since another "
          "stage follows, got 0");
  refuses("[" + stage(kText, kEnd) + "]",
          "data.stages[0].until_epochs: wanted no value, since the last stage lasts until the run ends "
          "(training.max_epochs), got 1");
}

TEST(TrainingStageTest, TheKeysOfOneTextAreRefusedBesideStages) {
  auto config = read(kTwoStages);
  config.train_source = "x";
  EXPECT_THAT(
      [&] { config.validate(); },
      ThrowsMessage<UsageError>(HasSubstr("leave out data.train_source, data.train_target and data.train_alignment")));
}

TEST(TrainingStageTest, PathsHaveTheirKeysAndTheIdentityHasNone) {
  auto config = read(kTwoStages);
  std::vector<std::string> keys;
  for (const auto& [key, path] : data_settings().paths(config))
    if (!path->empty()) keys.push_back(key + "=" + *path);
  EXPECT_EQ(keys.size(), 8u);
  EXPECT_EQ(keys[3], "data.stages[0].sources[1].target=b.de");
  const auto identity = data_settings().identity(config);
  EXPECT_EQ(identity.at("stages"),
            parse_json(R"([{"sources": [{"text": 0, "weight": 1.0}, {"text": 1, "weight": 0.5}], "until_epochs": 2},
                           {"sources": [{"text": 1, "weight": 3.0}, {"text": 2, "weight": 1.0}]}])"));
  EXPECT_FALSE(data_settings().identity(DataConfig()).contains("stages"));
}

}  // namespace
}  // namespace gloss
