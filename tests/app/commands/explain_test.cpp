#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/json_output.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ExplainTest : public testing::Test {
 protected:
  Outcome explain(const Arguments& more, const std::string& input = {}) const {
    Arguments arguments = {"explain", "--model", model_, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments, input);
  }
  json document(const Arguments& more, const std::string& input = {}) const {
    auto arguments = more;
    arguments.push_back("--json");
    return only_json(explain(arguments, input));
  }
  void expect_refused(const Arguments& more, const std::string& message, const std::string& input = {}) const {
    const auto outcome = explain(more, input);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run_ / "")) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

TEST_F(ExplainTest, TranslatesAsTranslateDoes) {
  const auto wanted = run_gloss({"translate", "--model", model_, "--threads", "1", "--device", "cpu"}, "bise cone\n");
  const auto item = document({"bise cone", "--quick"}).at("items").at(0);
  EXPECT_EQ(item.at("target").at("text").get<std::string>() + "\n", wanted.out);
  EXPECT_FALSE(item.contains("interventions"));
}

TEST_F(ExplainTest, AModelOfWidthOneIsExplained) {
  const auto trained = run_gloss(
      run_.training("narrow", {"--set", "training.max_steps=0", "--set", "model.d_model=1", "--set", "model.heads=1"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  model_ = run_ / "narrow";
  EXPECT_EQ(document({"bise"}).at("items").size(), 1u);
}

TEST_F(ExplainTest, SentencesComeFromTheCommandLineOrFromStdin) {
  const auto typed = document({"bise", "cone bise", "--quick"}), piped = document({"--quick"}, "bise\ncone bise\n");
  EXPECT_EQ(typed, piped);
  ASSERT_EQ(typed.at("items").size(), 2u);
  EXPECT_EQ(typed.at("items")[1].at("text"), "cone bise");
}

TEST_F(ExplainTest, EveryModelHasItsItemsWithAndWithoutTheParts) {
  const auto other = run_.untrained_model(8);
  const auto result =
      document({"--model", other, "bise", "--quick", "--without", "decoder.0.cross.0", "--without", "source.0"});
  ASSERT_EQ(result.at("models").size(), 2u);
  ASSERT_EQ(result.at("items").size(), 4u);
  EXPECT_EQ(result.at("items")[1].at("without"), json({"decoder.0.cross.0", "source.0"}));
  EXPECT_EQ(result.at("items")[2].at("model"), 1);
  EXPECT_NE(result.at("items")[0].at("maps"), result.at("items")[2].at("maps"));
}

TEST_F(ExplainTest, AForcedTargetIsWhatTheModelReads) {
  const auto item = document({"bise", "--target", "bise bise"}).at("items").at(0);
  EXPECT_EQ(item.at("target").at("text"), "bise bise");
  EXPECT_EQ(item.at("forced"), true);
  EXPECT_TRUE(item.at("beam").is_null());
  EXPECT_TRUE(item.contains("interventions"));
}

TEST_F(ExplainTest, WritesAPageAndAPictureWholeOrNotAtAll) {
  const auto page = run_ / "page.html", picture = run_ / "map.svg";
  const auto before = files();
  EXPECT_EQ(explain({"bise <b>\"", "--output", page}).exit_code, 0);
  EXPECT_THAT(read_text(page), AllOf(StartsWith("<!DOCTYPE html>"),
                                     HasSubstr("<title>bise &lt;b&gt;\" - gloss</title>"), Not(HasSubstr("<b>\""))));
  EXPECT_EQ(explain({"bise", "--svg", picture, "--map", "encoder.0.self.1"}).exit_code, 0);
  EXPECT_THAT(read_text(picture), AllOf(StartsWith("<svg"), HasSubstr("encoder.0.self.1")));

  const auto kept = read_text(page);
  expect_refused({"bise", "--output", page}, "--overwrite");
  EXPECT_EQ(read_text(page), kept);
  EXPECT_EQ(explain({"cone", "--output", page, "--overwrite"}).exit_code, 0);
  EXPECT_NE(read_text(page), kept);
  EXPECT_EQ(explain({"bise", "--output", run_ / "missing" / "page.html"}).exit_code, 4);
  expect_refused({"bise", "--svg", run_ / "other.svg", "--map", "decoder.9.cross"}, "--map: wanted an attention");
  expect_refused({"bise", "cone", "--svg", run_ / "other.svg", "--map", "decoder.0.cross"},
                 "--svg: wanted one sentence");
  EXPECT_EQ(files().size(), before.size() + 2);
}

TEST_F(ExplainTest, TraceNamesEachStageWithShapeAndSource) {
  const auto outcome = explain({"bise cone", "--trace"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const auto* part : {"source       bise cone", "decoder.0.cross", "log-probabilities", "model/attention.cpp"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
}

TEST_F(ExplainTest, RanksTheHeadsOfAModelOnAText) {
  const Arguments arguments{"--heads-report", "--source", run_.corpus("valid.source"), "--target",
                            run_.corpus("valid.target")};
  const auto table = explain(arguments);
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(StartsWith("loss of the whole network "), HasSubstr("\ndecoder.0.cross.0 ")));
  const auto report = document(arguments);
  EXPECT_THAT(table.out, HasSubstr(report.at("parts")[0].at("part").get<std::string>()));
}

TEST_F(ExplainTest, ShowsATrainingRun) {
  ASSERT_EQ(run_gloss(run_.training("a", {"--set", "training.max_steps=20"})).exit_code, 0);
  const auto result = only_json(run_gloss({"explain", "--run", run_ / "a", "--json"}));
  EXPECT_EQ(result.at("format"), "gloss.run");
  EXPECT_FALSE(result.at("runs")[0].at("training").at("step").empty());
  EXPECT_EQ(run_gloss({"explain", "--run", run_ / "a", "--output", run_ / "run.html"}).exit_code, 0);
  EXPECT_EQ(run_gloss({"explain", "--run", run_ / "missing", "--json"}).exit_code, 2);
}

TEST_F(ExplainTest, EventsOfEachRunAreInAFolderOfItsOwnBelowTheGivenOne) {
  const auto events = [&](const Arguments& runs) {
    for (const auto* name : {"x/base", "y/base", "base-2"}) {
      std::filesystem::create_directories(run_ / name);
      write_text((run_ / name) / "log.jsonl", "{\"event\":\"step\",\"step\":1,\"loss\":2}\n");
    }
    std::filesystem::remove_all(run_ / "tb");
    Arguments arguments = {"explain", "--tensorboard", run_ / "tb"};
    for (const auto& run : runs) arguments.insert(arguments.end(), {"--run", run_ / run});
    EXPECT_EQ(run_gloss(arguments).exit_code, 0);
    const auto again = run_gloss(arguments);
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, AllOf(HasSubstr("there is a file"), Not(HasSubstr("wrote"))));
    std::vector<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(run_ / "tb")) {
      EXPECT_TRUE(std::filesystem::is_regular_file(entry.path() / "events.out.tfevents.gloss"));
      folders.push_back(entry.path().filename());
    }
    std::ranges::sort(folders);
    return folders;
  };
  EXPECT_THAT(events({"x/base", "base-2"}), ElementsAre("base", "base-2"));
  EXPECT_THAT(events({"base-2", "x/base", "y/base/"}), ElementsAre("base", "base-2", "base-3"));
  write_text((run_ / "x") / "log.jsonl", "");
  EXPECT_THAT(events({"x/base/.."}), ElementsAre("x"));
  EXPECT_THAT(events({"x/base/../../y/base/."}), ElementsAre("base"));
}

TEST_F(ExplainTest, ANetworkWithoutAttentionShowsTheRestAndNamesWhatItLacks) {
  const auto made =
      run_gloss(run_.training("fixed", {"--set", "training.max_steps=0", "--set", "model.architecture=recurrent",
                                        "--set", "model.recurrent_attention=none"}));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  model_ = (run_ / "fixed").string();
  const auto item = document({"bise cone"}).at("items").at(0);
  EXPECT_EQ(item.at("maps"), json::array());
  EXPECT_FALSE(item.at("stack").empty());
  EXPECT_FALSE(item.at("interventions").at("words").at("log_probabilities").at("values").empty());
  EXPECT_EQ(explain({"bise", "--output", run_ / "fixed.html"}).exit_code, 0);
  EXPECT_THAT(explain({"bise", "--trace"}).out, HasSubstr("h_t = GRU(x_t, h_t-1)"));
  expect_refused({"bise", "--svg", run_ / "map.svg", "--map", "decoder.0.cross"}, "--map: this model has no attention");
  expect_refused({"bise", "--json", "--without", "encoder.0"}, "--without: wanted a part as tokens, or a word");
  expect_refused({"--heads-report", "--source", run_.corpus("valid.source"), "--target", run_.corpus("valid.target")},
                 "wanted a model with layers or heads that can be removed");
}

TEST_F(ExplainTest, WhatCannotBeExplainedIsRefused) {
  expect_refused({"--json"}, "wanted a sentence");
  expect_refused({"", "--json"}, "wanted a value, got an empty one");
  expect_refused({" \t", "--json"}, "sentence 1: wanted a text that has pieces");
  expect_refused({"--json"}, "sentence 2: wanted a text that has pieces", "bise\n\n");
  expect_refused({"bise"}, "wanted one of --output, --json, --svg and --trace");
  expect_refused({"bise", "--json", "--trace"}, "wanted one of");
  expect_refused({"bise", "--json", "--map", "encoder.0.self"}, "--map");
  expect_refused({"bise", "--json", "--without", "decoder.0.cross.99"}, "--without: wanted a part");
  expect_refused({"bise bise", "--json", "--without", "source.7"}, "source.0 to source.1");
  expect_refused({"bise", "cone", "--json", "--target", "bise"}, "--target: wanted one sentence");
  expect_refused({"bise", "--json", "--run", run_ / ""}, "--run");
  expect_refused({"bise", "--json", "--sample"}, "--sample");
  expect_refused({"bise", "--json", "--overwrite"}, "--overwrite: has no effect beside --json");
  expect_refused({"bise", "--trace", "--quick"}, "--quick: has no effect");
  expect_refused({"--heads-report", "--source", "a", "--target", "b", "--beam", "3"},
                 "an option of the search: has no effect");
  std::string words;
  for (int i = 0; i < 5000; ++i) words += "bise ";
  expect_refused({"bise", "--json", "--target", words}, "--target: wanted at most");
  expect_refused({"--heads-report", "--json"}, "--heads-report: wanted --source and --target");
  expect_refused({"bise", "--output", model_ + "/model.safetensors", "--overwrite"}, "is the same file as");
  EXPECT_EQ(run_gloss({"explain", "bise", "--json"}).exit_code, 2);
}

TEST_F(ExplainTest, UnknownCharactersAndLongSentencesAreExplainedAsTheModelReadsThem) {
  const auto unknown = document({"\xe9\xbe\x8d bise \xff", "--quick"}).at("items").at(0);
  EXPECT_THAT(unknown.at("source").at("pieces")[0].at("piece").get<std::string>(), Not(IsEmpty()));
  std::string text;
  for (int i = 0; i < 400; ++i) text += "bise ";
  const auto cut = document({text, "--quick", "--max-length", "5"}).at("items").at(0);
  EXPECT_EQ(cut.at("source").at("truncated"), true);
  EXPECT_LE(cut.at("target").at("pieces").size(), 5u);
}

}  // namespace
}  // namespace gloss
