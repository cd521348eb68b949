#include "run/config/run_config.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "run/config/read_run_file.h"
#include "tests/support/settings_table.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Throws;
using testing::ThrowsMessage;

class RunConfigTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    const auto path = folder_.path() / "run.json";
    std::ofstream(path) << text;
    return path;
  }
  RunConfig read(const std::string& text, std::vector<std::string> overrides = {}) const {
    return read_run_config(write(text), overrides);
  }
  void expect_refused(const std::string& text, const std::string& message) const {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<UsageError>(HasSubstr(message))) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(RunConfigTest, AnEmptyObjectGivesTheDefaults) {
  const auto config = read("{}");
  EXPECT_EQ(config.model.d_model, 512);
  EXPECT_EQ(config.model.d_ff, 2048);
  EXPECT_EQ(config.tokenizer.vocabulary_size, 10000);
  EXPECT_EQ(config.data.batch_tokens, 4096);
  EXPECT_DOUBLE_EQ(config.training.label_smoothing, 0.1);
  EXPECT_EQ(config.decoding.beam_size, 5);
  for (const auto& json : {to_json(config), to_portable_json(config)})
    EXPECT_EQ(json.at("training").at("max_steps"), 100'000) << "the limit that holds is stated";
}

TEST_F(RunConfigTest, WritingAndReadingKeepsEveryKey) {
  const auto text =
      R"({"seed": 7, "tokenizer": {"type": "unigram", "joint": false}, "model": {"norm": "post", "tie_embeddings": "none",
          "attention_dropout": 0.25}, "training": {"max_epochs": 3, "early_stop": {"metric": "loss", "patience": 4}},
          "decoding": {"length_penalty_kind": "gnmt"}})";
  const auto once = to_json(read(text));
  EXPECT_EQ(once, to_json(parse_run_config(once)));
  EXPECT_EQ(once["seed"], 7);
  EXPECT_EQ(once["tokenizer"]["type"], "unigram");
  EXPECT_EQ(once["model"]["norm"], "post");
  EXPECT_EQ(once["model"]["final_norm"], false);
  EXPECT_EQ(once["model"]["attention_dropout"], 0.25);
  EXPECT_EQ(once["training"]["early_stop"]["patience"], 4);
  EXPECT_EQ(once["decoding"]["length_penalty_kind"], "gnmt");
}

TEST_F(RunConfigTest, PathsAreRelativeToTheRunFile) {
  const auto config = read(R"({"data": {"train_source": "a/x.en", "train_target": "/b/x.de"}})");
  EXPECT_EQ(config.data.train_source, (folder_.path() / "a/x.en").string());
  EXPECT_EQ(config.data.train_target, "/b/x.de");
  EXPECT_EQ(config.data.valid_source, "");
}

TEST_F(RunConfigTest, ThePortableFormHasNoPath) {
  const auto config =
      read(R"({"tokenizer": {"model_file": "t.model"}, "data": {"train_source": "x.en", "train_target": "x.de"}})");
  EXPECT_THAT(to_text(to_json(config)), HasSubstr(folder_.path().string()));
  EXPECT_THAT(to_text(to_portable_json(config)), testing::Not(HasSubstr("x.en")));
  EXPECT_THAT(to_text(to_portable_json(config)), testing::Not(HasSubstr("t.model")));
}

TEST_F(RunConfigTest, LensSentencesAreAFewTextsThatTheModelFileLacks) {
  EXPECT_THAT(read("{}").lens.sentences, testing::IsEmpty());
  const auto config = read(R"({"lens": {"sentences": ["a b"]}})");
  EXPECT_THAT(config.lens.sentences, testing::ElementsAre("a b"));
  EXPECT_THAT(read("{}", {R"(lens.sentences=["c", "d"])"}).lens.sentences, testing::ElementsAre("c", "d"));
  EXPECT_EQ(to_json(config)["lens"]["sentences"], Json({"a b"}));
  EXPECT_FALSE(to_portable_json(config).contains("lens"));
  EXPECT_EQ(settings_identity(config), settings_identity(read("{}"))) << "a run may be resumed with others";

  expect_refused(R"({"lens": {"sentences": ["a", ""]}})", "lens.sentences: wanted sentences that are not empty");
  expect_refused(R"({"lens": {"sentences": "a"}})", "lens.sentences: wanted a list of strings");
  expect_refused(R"({"lens": {"sentences": [1]}})", "lens.sentences: wanted a list of strings");
  expect_refused(R"({"lens": {"sentence": ["a"]}})", "did you mean \"lens.sentences\"?");
  const Json many{{"lens", {{"sentences", std::vector<std::string>(21, "a")}}}};
  expect_refused(to_text(many), "lens.sentences: wanted at most 20 sentences, got 21");
  EXPECT_NO_THROW(read(to_text({{"lens", {{"sentences", std::vector<std::string>(20, "a")}}}})));
}

TEST_F(RunConfigTest, OverridesReplaceTheValuesOfTheFile) {
  const auto config = read(R"({"seed": 1, "model": {"d_model": 64}})",
                           {"seed=5", "model.d_model=32", "model.heads=2", "training.schedule=constant",
                            "training.early_stop.metric=loss", "data.train_source=x=y.en", "data.train_target=x.de"});
  EXPECT_EQ(config.seed, 5);
  EXPECT_EQ(config.model.d_model, 32);
  EXPECT_EQ(config.training.schedule, ScheduleKind::kConstant);
  EXPECT_EQ(config.training.early_stop.metric, EarlyStopMetric::kLoss);
  EXPECT_EQ(config.data.train_source, (folder_.path() / "x=y.en").string());
}

TEST_F(RunConfigTest, OverridesAreAsStrictAsTheFile) {
  EXPECT_THAT([&] { read("{}", {"model.d_modle=32"}); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean \"model.d_model\"?")));
  EXPECT_THAT([&] { read("{}", {"model.d_model=wide"}); }, ThrowsMessage<UsageError>(HasSubstr("model.d_model")));
  EXPECT_NO_THROW(read("{}", {"seed.a=1", "seed=2"}));
  EXPECT_THAT([&] { read(R"({"seed": 1})", {"seed.a=1"}); }, ThrowsMessage<UsageError>(HasSubstr("seed")));
  EXPECT_THAT([&] { read("{}", {"novalue"}); }, ThrowsMessage<UsageError>(HasSubstr("key=value")));
  EXPECT_THAT([&] { read("{}", {"=1"}); }, ThrowsMessage<UsageError>(HasSubstr("key=value")));
}

TEST_F(RunConfigTest, RefusesInvalidRunFilesNamingTheKey) {
  expect_refused("", "run.json");
  expect_refused("[]", "object");
  expect_refused("{} x", "run.json");
  expect_refused("{\"seed\": 1,}", "run.json");
  expect_refused("{\"seed\": 1 /* one */}", "run.json");
  expect_refused(R"({"seed": 1, "seed": 2})", "seed");
  expect_refused(R"({"seeed": 1})", "seed");
  expect_refused(R"({"seed": -1})", "seed");
  expect_refused(R"({"seed": null})", "seed");
  expect_refused(R"({"model": 3})", "model");
  expect_refused(R"({"model": {"d_model": "512"}})", "model.d_model");
  expect_refused(R"({"model": {"d_model": 3.5}})", "model.d_model");
  expect_refused(R"({"model": {"d_model": 1e30}})", "model.d_model");
  expect_refused(R"({"model": {"d_model": -4}})", "model.d_model");
  expect_refused(R"({"model": {"d_model": 0}})", "model.d_model");
  expect_refused(R"({"model": {"heads": 7}})", "model.heads");
  expect_refused(R"({"model": {"dropout": 1}})", "model.dropout");
  expect_refused(R"({"model": {"dropout": NaN}})", "run.json");
  expect_refused(R"({"model": {"dropout": 1e999}})", "run.json");
  expect_refused(R"({"training": {"learning_rate": 0}})", "training.learning_rate");
  expect_refused(R"({"decoding": {"beam_size": 0}})", "decoding.beam_size");
  expect_refused(std::string(100000, '[') + std::string(100000, ']'), "run.json");
  expect_refused(std::string(2 << 20, ' ') + "{}", "run.json");
}

TEST_F(RunConfigTest, TwoVocabulariesCannotShareAllEmbeddings) {
  expect_refused(R"({"tokenizer": {"joint": false}})", "model.tie_embeddings");
  EXPECT_NO_THROW(read(R"({"tokenizer": {"joint": false}, "model": {"tie_embeddings": "decoder"}})"));
}

TEST_F(RunConfigTest, CharactersCannotBeSampled) {
  expect_refused(R"({"tokenizer": {"type": "char"}, "data": {"subword_sampling": 0.1}})",
                 "data.subword_sampling: wanted 0, since tokenizer.type is char, got 0.1");
}

TEST_F(RunConfigTest, LearnedPositionsLeaveRoomForTheEndOfAShortestTarget) {
  const auto config = [](const std::string& decoding) {
    return R"({"model": {"positions": "learned", "max_positions": 64}, "data": {"max_length": 64}, "decoding": )" +
           decoding + "}";
  };
  expect_refused(config(R"({"min_length": 64})"), "decoding.min_length: wanted less than model.max_positions (64)");
  EXPECT_NO_THROW(read(config(R"({"min_length": 63})")));
  EXPECT_NO_THROW(read(config(R"({"min_length": 64, "max_length": 64})")));
}

TEST_F(RunConfigTest, AMissingRunFileIsAUsageError) {
  EXPECT_THAT([&] { read_run_config(folder_.path() / "none.json", {}); },
              ThrowsMessage<UsageError>(HasSubstr("none.json")));
  EXPECT_THAT([&] { read_run_config(folder_.path(), {}); }, Throws<UsageError>());
}

class TextDefaultsOfARunFileTest : public RunConfigTest {
 protected:
  TextDefaultsOfARunFileTest() {
    std::ofstream source(folder_ / "train.en"), target(folder_ / "train.de.txt");
    for (int i = 0; i < 300; ++i) {
      source << "the dog number " << i << " sees the cat number " << i * 7 << '\n';
      target << "der Hund Nummer " << i << " sieht die Katze Nummer " << i * 7 << '\n';
    }
  }
  static std::string with_text(const std::string& more = "") {
    return R"({"data": {"train_source": "train.en", "train_target": "train.de.txt"})" + more + "}";
  }
  RunFile resume(const std::string& kept, const std::string& text) const {
    std::filesystem::create_directories(folder_ / "run");
    std::ofstream(folder_ / "run" / "config.json") << kept;
    return read_run_file({.path = write(text), .run_folder = folder_ / "run"});
  }
};

TEST_F(TextDefaultsOfARunFileTest, OpenKeysAreChosenUnlessDefaultsAreFixed) {
  const auto file = read_run_file({.path = write(with_text())});
  EXPECT_EQ(file.config.defaults, DefaultsKind::kText);
  EXPECT_EQ(file.text.pairs, 300);
  EXPECT_GT(file.chosen.size(), 10u);
  EXPECT_LT(file.config.model.d_model, 512);
  EXPECT_TRUE(file.config.data.hold_out);
  EXPECT_TRUE(file.config.training.max_epochs);
  const auto fixed = read_run_file({.path = write(with_text(R"(, "defaults": "fixed")"))});
  EXPECT_TRUE(fixed.chosen.empty());
  EXPECT_EQ(to_json(fixed.config.model), to_json(ModelConfig()));
  EXPECT_EQ(to_json(fixed.config.training), to_json(TrainingConfig()));
  EXPECT_FALSE(fixed.config.data.hold_out);
  expect_refused(with_text(R"(, "defaults": "best")"), "defaults: wanted one of fixed, text");
}

TEST_F(TextDefaultsOfARunFileTest, AWrittenConfigurationIsReadAsItIs) {
  const auto config = read(with_text());
  const auto json = to_json(config);
  EXPECT_EQ(json.at("defaults"), "text");
  const auto again = read_run_file({.path = write(to_text(json))});
  EXPECT_EQ(to_json(again.config), json);
  EXPECT_TRUE(again.chosen.empty());
  EXPECT_EQ(parse_run_config(to_portable_json(config)).model.d_model, config.model.d_model);
}

TEST_F(TextDefaultsOfARunFileTest, SettingsOfTheCommandLineAreNotReplaced) {
  const auto config = read(with_text(), {"model.d_model=64", "training.max_steps=7"});
  EXPECT_EQ(config.model.d_model, 64);
  EXPECT_EQ(config.training.max_steps, 7);
  EXPECT_FALSE(config.training.max_epochs);
}

TEST_F(TextDefaultsOfARunFileTest, ATextThatCannotBeReadLeavesTheFixedDefaults) {
  for (const auto* source : {"none.en", "empty.en", "."}) {
    std::ofstream(folder_ / "empty.en").close();
    const auto config =
        read(std::string(R"({"data": {"train_source": ")") + source + R"(", "train_target": "train.de.txt"}})");
    EXPECT_EQ(config.model.d_model, 512) << source;
  }
}

TEST_F(TextDefaultsOfARunFileTest, AResumedRunKeepsItsValues) {
  auto kept = to_json(read(with_text()));
  kept["model"]["d_model"] = 96;
  kept["training"]["max_epochs"] = 3;
  const auto resumed = resume(to_text(kept), with_text()).config;
  EXPECT_EQ(resumed.model.d_model, 96);
  EXPECT_EQ(*resumed.training.max_epochs, *read(with_text()).training.max_epochs) << "limits may change";
  EXPECT_TRUE(resumed.data.hold_out);

  kept["defaults"] = "fixed";
  EXPECT_EQ(resume(to_text(kept), with_text()).config.defaults, DefaultsKind::kFixed) << "a second training, too";
  kept.erase("defaults");
  kept["data"].erase("hold_out");
  const auto old = resume(to_text(kept), with_text()).config;
  EXPECT_EQ(old.defaults, DefaultsKind::kFixed) << "runs of earlier versions";
  EXPECT_EQ(old.model.d_model, 512);
  EXPECT_FALSE(old.data.hold_out);
  EXPECT_EQ(resume("{", with_text()).config.defaults, DefaultsKind::kText) << "nothing was kept";
}

TEST_F(TextDefaultsOfARunFileTest, FilesOfTheCommandLineReplaceThoseOfTheRunFile) {
  const std::vector<std::pair<std::string, std::filesystem::path>> files = {{"train_source", folder_ / "train.de.txt"},
                                                                            {"train_target", folder_ / "train.en"},
                                                                            {"test_source", "here"},
                                                                            {"test_target", "there"}};
  const auto config = read_run_file({.path = write(with_text()), .data_files = files}).config;
  EXPECT_EQ(config.data.train_source, (folder_ / "train.de.txt").string());
  EXPECT_EQ(config.data.test_source, (std::filesystem::current_path() / "here").string());
  EXPECT_EQ(config.data.source_language, "de");
  const auto without = read_run_file({.data_files = files}).config;
  EXPECT_EQ(without.data.train_target, (folder_ / "train.en").string());
  EXPECT_EQ(without.defaults, DefaultsKind::kText);
}

TEST_F(TextDefaultsOfARunFileTest, LanguagesComeFromTheNamesOfTheFiles) {
  const auto config = read(with_text());
  EXPECT_EQ(config.data.source_language, "en");
  EXPECT_EQ(config.data.target_language, "de");
  EXPECT_EQ(to_portable_json(config).at("data").at("target_language"), "de");
  EXPECT_EQ(read(with_text(), {"data.source_language=en-GB"}).data.source_language, "en-GB");
}

TEST(ConfigsFolderTest, EveryRunFileSetsItsDefaults) {
  for (const auto& entry : std::filesystem::directory_iterator(GLOSS_CONFIGS_FOLDER)) {
    if (entry.path().extension() != ".json") continue;
    const auto* const kind = entry.path().filename() == "marian.json" ? "text" : "fixed";  // for texts of any size
    EXPECT_EQ(parse_json(read_file(entry.path(), 1 << 20)).at("defaults"), kind) << entry.path();
  }
}

TEST(ConfigsFolderTest, EveryRunFileIsRead) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GLOSS_CONFIGS_FOLDER)) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_NO_THROW(read_run_config(entry.path(), {})) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 6u);
}

/// Returns the first table below `heading`.
std::string table_below(const std::string& page, const std::string& heading) {
  const auto begin = page.find("\n|", page.find(heading + '\n')) + 1;
  auto end = begin;
  while (page[end] == '|') end = page.find('\n', end) + 1;
  return page.substr(begin, end - begin);
}

TEST(ConfigsFolderTest, TheTablesOfTheReadmeAreTheDeclarations) {
  const auto readme = read_file(GLOSS_CONFIGS_FOLDER "/README.md", 1 << 20);
  for (const auto& [name, settings] : run_settings()) {
    const auto heading = name.empty() ? "## Keys" : "### " + std::string(name);
    ASSERT_THAT(readme, HasSubstr('\n' + heading + '\n'));
    EXPECT_EQ(table_below(readme, heading), settings_table(settings)) << "configs/README.md must have this table";
  }
}

TEST(ConfigsFolderTest, EachKeyOfARunFileIsDeclaredOnceWithAShortSentence) {
  std::size_t keys = 0;
  Json declared = Json::object();
  for (const auto& [name, settings] : run_settings()) {
    for (const auto& setting : settings) {
      EXPECT_THAT(setting.help.size(), testing::AllOf(testing::Gt(0u), testing::Le(100u))) << setting.name();
      set_value_at(declared, setting.name(), setting.default_value);
      ++keys;
    }
  }
  EXPECT_EQ(declared.flatten().size(), keys);
  const auto written = to_json(RunConfig{}).flatten();
  for (const auto& [key, value] : written.items()) EXPECT_TRUE(declared.contains(Json::json_pointer(key))) << key;
}

TEST(SimilarKeyTest, FindsKeysByLastPartSpellingWordsAndInitials) {
  EXPECT_EQ(similar_key("model.batch_tokens"), "data.batch_tokens");
  EXPECT_EQ(similar_key("batch-token"), "data.batch_tokens");
  EXPECT_EQ(similar_key("epochs"), "training.max_epochs");
  EXPECT_EQ(similar_key("lr"), "training.learning_rate");
  EXPECT_EQ(similar_key("top_k"), "decoding.sampling.top_k");
  EXPECT_EQ(similar_key("zzzzzz"), std::nullopt);
  EXPECT_EQ(similar_key(""), std::nullopt);
}

TEST(SimilarKeyTest, AnUnknownKeyOfARunFileIsComparedWithOtherSections) {
  const auto refusal = [](const std::string& json) {
    try {
      parse_run_config(parse_json(json));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(R"({"model": {"batch_tokens": 1}})"),
            R"(model.batch_tokens: unknown key; did you mean "data.batch_tokens"?)");
  EXPECT_EQ(refusal(R"({"training": {"epochs": 1}})"),
            R"(training.epochs: unknown key; did you mean "training.max_epochs"?)");
  EXPECT_EQ(refusal(R"({"max_epochs": 1})"), R"(max_epochs: unknown key; did you mean "training.max_epochs"?)");
  EXPECT_EQ(refusal(R"({"training": {"max_epoch": 1}})"),
            R"(training.max_epoch: unknown key; did you mean "training.max_epochs"?)")
      << "a key of its own section comes first";
  EXPECT_NE(refusal(R"({"training": {"zzzzzz": 1}})").find("training.zzzzzz: unknown key; known here: max_steps"),
            std::string::npos);
}

}  // namespace
}  // namespace gloss
