#include "run/config/text_defaults.h"

#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "data/scan_texts.h"
#include "run/config/run_config.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/train_tokenizer.h"
#include "training/schedule.h"

namespace gloss {
namespace {

using testing::IsEmpty;

/// Returns the size of a text like English and German: twelve words a side, of five and a half letters.
TextSize text_with(std::int64_t pairs) {
  const TextVariety side{.distinct_words = pairs, .characters = 70};
  return {.pairs = pairs,
          .words = 24 * pairs,
          .bytes = 80 * pairs,
          .source = side,
          .target = side,
          .both = {.distinct_words = 4 * pairs, .characters = 80}};
}

RunConfig config_for(const std::string& text, std::int64_t pairs = 1000) {
  auto json = parse_json(text);
  complete_defaults(json, text_with(pairs));
  return parse_run_config(json);
}

std::map<std::string, Json> chosen_for(const std::string& text, std::int64_t pairs = 1000) {
  auto json = parse_json(text);
  std::map<std::string, Json> values;
  for (const auto& [key, value, reason] : complete_defaults(json, text_with(pairs))) {
    EXPECT_FALSE(reason.empty()) << key;
    values[key] = value;
  }
  return values;
}

std::map<std::string, ChosenDefault> complete(Json& run_file, const TextSize& text) {
  std::map<std::string, ChosenDefault> chosen;
  for (const auto& value : complete_defaults(run_file, text)) chosen[value.key] = value;
  return chosen;
}

TEST(TextDefaultsTest, GrowWithTheText) {
  std::int64_t vocabulary = 0, width_of_all = 0;
  for (const std::int64_t pairs : {1'000, 10'000, 100'000, 1'000'000}) {
    const auto config = config_for("{}", pairs);
    EXPECT_GE(config.tokenizer.vocabulary_size, vocabulary) << pairs;
    EXPECT_GE(config.model.encoder_layers * config.model.d_model, width_of_all) << pairs;
    vocabulary = config.tokenizer.vocabulary_size;
    width_of_all = config.model.encoder_layers * config.model.d_model;
  }
  EXPECT_GT(vocabulary, config_for("{}", 1'000).tokenizer.vocabulary_size);
  EXPECT_GT(width_of_all, 2 * 128);
}

TEST(TextDefaultsTest, ATextOfFewUpdatesGetsMoreEpochs) {
  EXPECT_EQ(*config_for("{}", 2'000).training.max_epochs, 60);
  EXPECT_EQ(*config_for("{}", 20).training.max_epochs, 200);
  EXPECT_GT(*config_for("{}", 400).training.max_epochs, 60);
}

TEST(TextDefaultsTest, AFewPairsGetASmallModelAndManyEpochs) {
  const auto config = config_for("{}", 2'000);
  EXPECT_EQ(config.tokenizer.vocabulary_size, 2000);
  EXPECT_EQ(config.data.batch_tokens, 1024);
  EXPECT_TRUE(config.data.hold_out);
  EXPECT_EQ(config.model.encoder_layers, 2);
  EXPECT_EQ(config.model.d_model, 128);
  EXPECT_DOUBLE_EQ(config.model.dropout, 0.2);
  EXPECT_DOUBLE_EQ(config.model.dropout_on_attention(), 0.1);
  EXPECT_EQ(config.training.schedule, ScheduleKind::kInverseSqrt);
  EXPECT_DOUBLE_EQ(config.training.learning_rate, 0.004);
  EXPECT_EQ(config.training.average_last, 5);
  EXPECT_FALSE(config.training.max_steps);
  ASSERT_TRUE(config.training.max_epochs);
  EXPECT_EQ(*config.training.max_epochs, 60);
}

TEST(TextDefaultsTest, AMillionPairsGetThePapersModel) {
  const auto config = config_for("{}", 1'000'000);
  EXPECT_EQ(config.model.d_model, 512);
  EXPECT_EQ(config.training.schedule, ScheduleKind::kNoam);
  EXPECT_DOUBLE_EQ(config.training.learning_rate, 1);
  EXPECT_EQ(config.training.warmup_steps, 4000);
  EXPECT_EQ(config.training.max_steps, 100'000);
}

TEST(TextDefaultsTest, KeysOfTheRunFileStay) {
  const auto text = R"({"tokenizer": {"vocabulary_size": 77}, "data": {"batch_tokens": 99, "hold_out": false},
    "model": {"encoder_layers": 1, "decoder_layers": 2, "d_model": 64, "d_ff": 65, "heads": 2, "dropout": 0.2},
    "training": {"max_hours": 1, "schedule": "noam", "validate_every": 3, "average_last": 2, "ema_decay": 0.5}})";
  EXPECT_THAT(chosen_for(text), testing::IsEmpty());
}

TEST(TextDefaultsTest, NoamKeepsItsOwnRateAndWarmup) {
  const auto config = config_for(R"({"training": {"schedule": "noam"}})");
  EXPECT_DOUBLE_EQ(config.training.learning_rate, 1);
  EXPECT_EQ(config.training.warmup_steps, 4000);
  const auto factor = config_for(R"({"training": {"learning_rate": 2}})");
  EXPECT_EQ(factor.training.schedule, ScheduleKind::kNoam) << "2 is no learning rate of the other schedules";
  EXPECT_EQ(factor.training.warmup_steps, 4000);
  const auto rate = config_for(R"({"training": {"learning_rate": 0.001}})");
  EXPECT_EQ(rate.training.schedule, ScheduleKind::kInverseSqrt);
  const auto constant = config_for(R"({"training": {"schedule": "constant"}})");
  EXPECT_LT(constant.training.learning_rate, 0.004);
  EXPECT_FALSE(chosen_for(R"({"training": {"schedule": "constant"}})").contains("training.warmup_steps"));
  const auto other = config_for(R"({"training": {"schedule": "inverse_sqrt"}})", 1'000'000);
  EXPECT_LT(other.training.learning_rate, 0.01) << "not the factor of noam";
}

TEST(TextDefaultsTest, HeadsDivideTheWidth) {
  for (const std::int64_t d_model : {1, 7, 96, 100, 128, 300, 512, 1024}) {
    const auto config = config_for(R"({"model": {"d_model": )" + std::to_string(d_model) + "}}");
    EXPECT_EQ(config.model.d_model % config.model.heads, 0) << d_model;
    EXPECT_EQ(config.model.d_ff, 2 * d_model);
  }
  EXPECT_EQ(config_for(R"({"model": {"heads": 5}})").model.d_model, 130);
  EXPECT_LT(config_for(R"({"model": {"d_model": 512}})").training.learning_rate, 0.002) << "wider models learn slower";
}

TEST(TextDefaultsTest, ADropoutOfTheRunFileAppliesInsideTheSublayersToo) {
  const auto config = config_for(R"({"model": {"dropout": 0.25}})");
  EXPECT_DOUBLE_EQ(config.model.dropout_on_attention(), 0.25);
  EXPECT_DOUBLE_EQ(config.model.dropout_in_feed_forward(), 0.25);
}

TEST(TextDefaultsTest, OneLimitIsEnough) {
  for (const auto* limit : {R"("max_steps": 0)", R"("max_epochs": 3)", R"("max_hours": 2)"}) {
    const auto values = chosen_for(std::string(R"({"training": {)") + limit + "}}");
    EXPECT_FALSE(values.contains("training.max_epochs")) << limit;
    EXPECT_FALSE(values.contains("training.max_steps")) << limit;
  }
}

TEST(TextDefaultsTest, TheWarmupIsAtMostAQuarterOfTheRun) {
  EXPECT_EQ(config_for(R"({"training": {"max_steps": 100}})").training.warmup_steps, 25);
  EXPECT_EQ(config_for(R"({"training": {"max_steps": 100000}})").training.warmup_steps, 400);
  EXPECT_GE(config_for(R"({"training": {"max_steps": 0}})").training.warmup_steps, 1);
  const auto tiny = config_for("{}", 20);
  EXPECT_LE(tiny.training.warmup_steps, *tiny.training.max_epochs / 4) << "one update an epoch";
}

TEST(TextDefaultsTest, ARunIsValidatedTenToTwentyTimes) {
  for (const std::int64_t pairs : {500, 2'000, 10'000, 29'000, 150'000, 1'000'000}) {
    const auto config = config_for("{}", pairs);
    const auto per_epoch = std::max<std::int64_t>((27 * pairs) / config.data.batch_tokens, 1);
    const auto updates =
        config.training.max_epochs ? *config.training.max_epochs * per_epoch : config.training.step_limit();
    const auto every = config.training.validate_every > 0 ? config.training.validate_every : per_epoch;
    EXPECT_GE(updates / every, 8) << pairs;
    EXPECT_LE(updates / every, 25) << pairs;
  }
  EXPECT_FALSE(chosen_for(R"({"data": {"hold_out": false}})").contains("training.validate_every"));
  EXPECT_EQ(config_for("{}", 20).training.validate_every, 50) << "training is to take longer than validating";
}

TEST(TextDefaultsTest, AnAverageDoesNotStandBesideEarlyStopping) {
  const auto values = chosen_for(R"({"training": {"early_stop": {"patience": 3}}})");
  EXPECT_FALSE(values.contains("training.average_last"));
  EXPECT_TRUE(values.contains("data.hold_out")) << "which early stopping needs";
}

TEST(TextDefaultsTest, AnExistingTokenizerIsUnchanged) {
  EXPECT_FALSE(chosen_for(R"({"tokenizer": {"model_file": "m"}})").contains("tokenizer.vocabulary_size"));
  EXPECT_FALSE(chosen_for(R"({"tokenizer": {"type": "char"}})").contains("tokenizer.vocabulary_size"));
  EXPECT_FALSE(chosen_for(R"({"training": {"initial_embeddings": {"source": "v"}}})").contains("model.d_model"));
}

TEST(TextDefaultsTest, AValidationTextIsNotReplaced) {
  EXPECT_FALSE(chosen_for(R"({"data": {"valid_source": "a", "valid_target": "b"}})").contains("data.hold_out"));
}

TEST(TextDefaultsTest, SymbolsAddToThePiecesOfASmallText) {
  const auto pieces = [](const std::string& text) { return config_for(text, 20).tokenizer.vocabulary_size; };
  EXPECT_EQ(pieces(R"({"tokenizer": {"symbols": ["<a>", "<b>"]}})"), pieces("{}") + 2);
}

TEST(TextDefaultsTest, AUnigramTokenizerFitsThreeLines) {
  const TemporaryFolder folder;
  for (const auto* name : {"s", "t"}) std::ofstream(folder / name) << "a the\npark\nruns\n";
  Json json = {{"tokenizer", {{"type", "unigram"}}}};
  complete_defaults(json, *scan_texts(TextFiles{folder / "s", folder / "t"}, {.size = true}).size);
  EXPECT_EQ(json.at("tokenizer").at("vocabulary_size"), 15);
  const std::vector<std::filesystem::path> files{folder / "s", folder / "t"};
  EXPECT_NO_THROW(train_tokenizer(files, parse_run_config(json).tokenizer));
}

TEST(TextDefaultsTest, SidesOfDifferentScriptsGetASizeThatTheLargerNeeds) {
  auto text = text_with(300);
  text.source = {.distinct_words = 17, .characters = 22};
  text.target = {.distinct_words = 300, .characters = 400};
  Json json = {{"tokenizer", {{"joint", false}}}};
  complete_defaults(json, text);
  EXPECT_GE(json.at("tokenizer").at("vocabulary_size"), 405) << "the other side gets fewer pieces";
}

TEST(TextDefaultsTest, EveryCharacterOfAChineseTextHasAPiece) {
  auto text = text_with(2000);
  text.both = text.target = {.distinct_words = 4000, .characters = 2600};
  auto json = Json::object();
  complete_defaults(json, text);
  EXPECT_GT(json.at("tokenizer").at("vocabulary_size"), 2605);
}

/// The tokenizers that the rule chooses can be trained, even on twenty pairs of one word.
TEST(TextDefaultsTest, TheVocabularyFitsTheSmallestText) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"the",
                                          "dog,",
                                          "a",
                                          "cat.",
                                          "sees",
                                          "\xc3\xbc"
                                          "ber",
                                          "Haus",
                                          "12",
                                          "not",
                                          "\"we\"",
                                          "house",
                                          "I",
                                          "go",
                                          "tree;",
                                          "one",
                                          "\xc2\xbd"};
  for (const int pairs : {20, 200})
    for (const int length : {1, 3, 9}) {
      {
        std::ofstream source(folder / "s"), target(folder / "t");
        for (int i = 0; i < pairs * length; ++i) {
          const char end = i % length == length - 1 ? '\n' : ' ';
          source << words[static_cast<std::size_t>(i * i + i / 3) % words.size()] << end;
          target << words[static_cast<std::size_t>(i * 7 + i / 5) % words.size()] << end;
        }
      }
      const auto size = *scan_texts(TextFiles{folder / "s", folder / "t"}, {.size = true}).size;
      for (const auto* type : {"bpe", "unigram"})
        for (const bool joint : {true, false}) {
          SCOPED_TRACE(std::to_string(pairs) + " pairs of " + std::to_string(length) + " words, " + type +
                       (joint ? ", joint" : ""));
          Json json = {{"tokenizer", {{"type", type}, {"joint", joint}}}};
          if (!joint) json["model"]["tie_embeddings"] = "decoder";
          complete_defaults(json, size);
          const auto config = parse_run_config(json).tokenizer;
          using Files = std::vector<std::filesystem::path>;
          const auto texts = joint ? std::vector<Files>{{folder / "s", folder / "t"}}
                                   : std::vector<Files>{{folder / "s"}, {folder / "t"}};
          for (const auto& files : texts) EXPECT_NO_THROW(train_tokenizer(files, config)) << config.vocabulary_size;
        }
    }
}

constexpr auto kFurther = R"({"model": {"d_model": 128}, "tokenizer": {"vocabulary_size": 4000},
                               "training": {"start_from": "m"}})";

TEST(SecondTrainingDefaultsTest, TakeSmallStepsValidateAndKeepTheBest) {
  for (const std::int64_t pairs : {300, 1'000, 20'000, 1'000'000}) {
    auto values = chosen_for(kFurther, pairs);
    const auto first = config_for("{}", std::min<std::int64_t>(pairs, 20'000)).training;
    EXPECT_EQ(values.at("training.schedule"), "inverse_sqrt");
    EXPECT_LT(values.at("training.learning_rate"), first.learning_rate) << pairs;
    EXPECT_LT(values.at("training.max_epochs"), *first.max_epochs) << pairs;
    EXPECT_GT(values.at("training.ema_decay"), 0);
    EXPECT_GT(values.at("training.early_stop.patience"), 0);
    EXPECT_EQ(values.at("data.hold_out"), true);
    EXPECT_FALSE(values.contains("training.average_last")) << "which early stopping excludes";
    for (const auto& [key, value] : values) EXPECT_FALSE(key.starts_with("model.") || key.starts_with("tokenizer."));
    auto json = parse_json(kFurther);
    complete_defaults(json, text_with(pairs));
    EXPECT_NO_THROW(parse_run_config(json)) << pairs;
  }
}

TEST(SecondTrainingDefaultsTest, WiderModelsAndOtherSchedulesHaveRatesOfTheSameMeaning) {
  const auto rate = [](const std::string& schedule, std::int64_t d_model) {
    Json json = {{"model", {{"d_model", d_model}}}, {"training", {{"start_from", "m"}, {"schedule", schedule}}}};
    complete_defaults(json, text_with(5000));
    const auto config = parse_run_config(json);
    return learning_rate(config.training, d_model, peak_step(config.training, 100'000));
  };
  EXPECT_NEAR(rate("inverse_sqrt", 512), rate("inverse_sqrt", 128) / 4, 1e-5);
  EXPECT_NEAR(rate("noam", 512), rate("inverse_sqrt", 512), 1e-5);
  EXPECT_LT(rate("constant", 128), rate("inverse_sqrt", 128));
}

TEST(SecondTrainingDefaultsTest, ALengthOfTheRunFileIsNotCutShort) {
  const auto values = chosen_for(R"({"training": {"start_from": "m", "max_epochs": 3}})");
  EXPECT_FALSE(values.contains("training.max_epochs"));
  EXPECT_FALSE(values.contains("training.early_stop.patience"));
  const auto averaged = chosen_for(R"({"training": {"start_from": "m", "average_last": 3}})");
  EXPECT_FALSE(averaged.contains("training.early_stop.patience"));
  const auto blind = chosen_for(R"({"training": {"start_from": "m"}, "data": {"hold_out": false}})");
  EXPECT_FALSE(blind.contains("training.early_stop.patience")) << "nothing to validate on";
}

TEST(TextDefaultsTest, ValuesOutOfRangeAreLeftForTheirOwnMessages) {
  for (const auto* text :
       {R"({"model": {"d_model": 9223372036854775807}})", R"({"model": {"d_model": -9223372036854775807}})",
        R"({"model": {"d_model": 0}})", R"({"model": {"heads": 9223372036854775807}})", R"({"model": {"heads": 0}})",
        R"({"training": {"max_epochs": -9223372036854775807}})", R"({"training": {"accumulate": 0}})",
        R"({"data": {"batch_tokens": 0}})"})
    EXPECT_THROW(config_for(text), UsageError) << text;
}

TEST(TextDefaultsTest, AResolvedConfigurationHasNothingOpen) {
  EXPECT_TRUE(has_open_defaults(Json::object()));
  auto json = to_json(config_for("{}"));
  EXPECT_FALSE(has_open_defaults(json));
  EXPECT_FALSE(has_open_defaults(to_json(RunConfig{})));
  json["training"].erase("warmup_steps");
  EXPECT_TRUE(has_open_defaults(json));
}

TEST(TextDefaultsTest, NormalizationKeepsCharactersThatTheTextHas) {
  auto text = text_with(1'000);
  const auto normalization = [&](Json run_file = Json::object()) -> std::string {
    return complete(run_file, text).count("tokenizer.normalization") == 1
               ? run_file.at("tokenizer").at("normalization").get<std::string>()
               : "";
  };
  EXPECT_EQ(normalization(), "");
  text.target.changed_by_nfkc = 49;
  text.target.first_changed = U'½';
  EXPECT_EQ(normalization(), "") << "few signs are not worth the price of identity";
  text.target.changed_by_nfkc = 50;
  EXPECT_EQ(normalization(), "identity") << "one line of 20";
  Json run_file = Json::object();
  EXPECT_THAT(complete(run_file, text).at("tokenizer.normalization").reason, testing::HasSubstr("U+00BD"));
  EXPECT_EQ(normalization({{"tokenizer", {{"normalization", "nmt_nfkc"}}}}), "");
  EXPECT_EQ(normalization({{"tokenizer", {{"model_file", "a.model"}}}}), "") << "the file has its own";
  text = text_with(10'000);
  text.source.joined = text.source.changed_by_nfkc = 9;
  EXPECT_EQ(normalization(), "") << "less than a line of 1,000";
  text.source.joined = text.source.changed_by_nfkc = 10;
  EXPECT_EQ(normalization(), "identity");
  text = text_with(10'000);
  text.target.full_width = text.target.changed_by_nfkc = 10;
  EXPECT_EQ(normalization(), "") << "full-width signs among Latin letters";
  text.target.letters.add("一只狗在雪地里奔跑");
  EXPECT_EQ(normalization(), "identity");
}

TEST(TextDefaultsTest, TargetsWithoutSpacesAreScoredByTheirCharacters) {
  auto text = text_with(1'000);
  const auto tokenize = [&](const std::string& target) -> Json {
    text.target.letters = {};
    text.target.letters.add(target);
    Json run_file = Json::object();
    complete_defaults(run_file, text);
    return run_file.contains("evaluation") ? run_file.at("evaluation").at("tokenize") : Json();
  };
  EXPECT_EQ(tokenize("一只狗在雪地里奔跑。"), "zh");
  EXPECT_EQ(tokenize("犬が雪の中を走っている。"), "char");
  EXPECT_EQ(tokenize("สุนัขวิ่งในหิมะ"), "char");
  EXPECT_EQ(tokenize("Ein Hund rennt."), Json());
}

TEST(TextDefaultsTest, AResumedRunTakesItsOwnValues) {
  const Json kept = {{"model", {{"d_model", 96}}},
                     {"training", {{"learning_rate", 0.002}, {"max_epochs", 9}, {"validate_every", 7}}},
                     {"data", {{"hold_out", true}}}};
  Json json = {{"training", {{"learning_rate", 0.003}}}};
  complete_from_kept(json, kept);
  EXPECT_EQ(
      json,
      (Json{{"training", {{"learning_rate", 0.003}}}, {"model", {{"d_model", 96}}}, {"data", {{"hold_out", true}}}}))
      << "limits may change";
  Json validated = {{"data", {{"valid_source", "a"}}}};
  complete_from_kept(validated, kept);
  EXPECT_FALSE(validated.at("data").contains("hold_out"));
}

}  // namespace
}  // namespace gloss
