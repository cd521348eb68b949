#include "run/run_curves.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

class RunCurvesTest : public testing::Test {
 protected:
  Json curves(const std::string& log) {
    std::ofstream(folder_.path() / "log.jsonl") << log;
    return run_curves(std::vector{folder_.path()}).at("runs").at(0);
  }
  static std::string step(int number, double loss) {
    return to_text({{"event", "step"}, {"step", number}, {"loss", loss}, {"target_tokens_per_second", 10.0 * number}}) +
           '\n';
  }
  static std::string validation(int number, double bleu) {
    return to_text({{"event", "validation"},
                    {"step", number},
                    {"loss", 1.5},
                    {"greedy_bleu", bleu},
                    {"samples", Json::array({{{"source", "a"}, {"translation", "b" + std::to_string(number)}}})}}) +
           '\n';
  }

  TemporaryFolder folder_;
};

TEST_F(RunCurvesTest, HaveEveryStepAndValidationAndTheirSamples) {
  const auto run = curves(step(10, 3) + validation(15, 20) + step(20, 2) + "{\"event\":\"model\",\"loss\":1}\n");
  EXPECT_EQ(run["training"]["step"], Json({10, 20}));
  EXPECT_EQ(run["training"]["loss"], Json({3.0, 2.0}));
  EXPECT_EQ(run["training"]["speed"], Json({100.0, 200.0}));
  EXPECT_EQ(run["training"]["gradient_norm"], Json({nullptr, nullptr}));
  EXPECT_EQ(run["validation"]["bleu"], Json({20.0}));
  EXPECT_EQ(run["samples"], Json::parse(R"([{"source": "a", "translation": "b15", "step": 15}])"));
  EXPECT_EQ(run["finished"], true);
}

TEST_F(RunCurvesTest, StepsThatWereRepeatedCountOnce) {
  const auto run = curves(step(10, 3) + step(20, 2) + step(10, 2.9) + step(20, 1.9));
  EXPECT_EQ(run["training"]["step"], Json({10, 20}));
  EXPECT_EQ(run["training"]["loss"], Json({2.9, 1.9}));
  EXPECT_EQ(run["finished"], false);
}

TEST_F(RunCurvesTest, ALineThatIsBeingWrittenIsLeftOut) {
  const auto run = curves(step(10, 3) + "{\"event\":\"step\",\"st");
  EXPECT_EQ(run["training"]["step"], Json({10}));
}

TEST_F(RunCurvesTest, ALineThatWasNotWrittenToItsEndIsLeftOut) {
  const auto run = curves(step(10, 3) + "{\"event\":\"step\",\"st\n" + step(20, 2));
  EXPECT_EQ(run["training"]["step"], Json({10, 20}));
}

TEST_F(RunCurvesTest, AValidationMayHaveNoSamples) {
  const auto run = curves(validation(15, 20) + "{\"event\":\"validation\",\"step\":20,\"loss\":1}\n");
  EXPECT_EQ(run["validation"]["step"], Json({15, 20}));
  EXPECT_EQ(run["validation"]["bleu"], Json({20.0, nullptr}));
  EXPECT_EQ(run["samples"].size(), 1U);
}

TEST_F(RunCurvesTest, TheLensHasTheLastLookAtEachStep) {
  EXPECT_EQ(curves(step(10, 3))["lens"], Json::array()) << "a run without lens.sentences";
  std::ofstream(folder_.path() / "lens.jsonl") << R"({"event":"lens","step":10,"items":["a"],"time":1}
{"event":"lens","step":20,"items":["b"],"time":2}
{"event":"lens","step":30,"items":["c
{"event":"lens","step":20,"items":["d"],"time":4}
{"event":"lens","step":30,"it)";
  EXPECT_EQ(curves(step(10, 3))["lens"],
            Json::parse(R"([{"step": 10, "items": ["a"]}, {"step": 20, "items": ["d"]}])"));
  std::ofstream(folder_.path() / "lens.jsonl") << "{\"step\":1}\n";
  EXPECT_THROW(curves(step(10, 3)), DataError);
}

TEST_F(RunCurvesTest, ADamagedLogAndAFolderWithoutOneAreRefused) {
  EXPECT_THROW(curves("nonsense\n"), DataError);
  EXPECT_THROW(run_curves(std::vector{folder_.path() / "missing"}), UsageError);
}

// Each line is an event with one wrong type; the message has the line and no name of the JSON library.
TEST_F(RunCurvesTest, OddEventsAreRefusedWithTheirLine) {
  const auto expect_refused = [](const std::string& file, const auto& work) {
    EXPECT_THAT(work, ThrowsMessage<DataError>(AllOf(HasSubstr(file + ", line 1: wanted an event of gloss, got "),
                                                     HasSubstr("(wanted "), Not(HasSubstr("json.exception")))));
  };
  std::vector<std::string> events{"5", "[]", "null", "true", "\"step\""};
  for (const std::string wrong : {"null", "true", "\"a\"", "[1]", "{}", "1.5", "-1", "18446744073709551615"}) {
    events.push_back("{\"event\":\"step\",\"step\":" + wrong + "}");
    events.push_back("{\"event\":\"validation\",\"step\":" + wrong + "}");
    if (wrong != "\"a\"") events.push_back("{\"event\":" + wrong + "}");
    for (const auto* samples : {"", "["})
      events.push_back("{\"event\":\"validation\",\"step\":1,\"samples\":" + std::string(samples) +
                       (wrong == "{}" || (wrong == "[1]" && *samples != 0) ? "1" : wrong) +
                       (*samples != 0 ? "]}" : "}"));
  }
  for (const std::string wrong : {"true", "\"a\"", "[1]", "{}"})
    for (const auto* key :
         {"loss", "perplexity", "learning_rate", "gradient_norm", "target_tokens_per_second", "epoch"})
      events.push_back("{\"event\":\"step\",\"step\":1,\"" + std::string(key) + "\":" + wrong + "}");
  events.emplace_back("{\"event\":\"validation\",\"step\":1,\"greedy_bleu\":\"a\"}");
  for (const auto& event : events) {
    SCOPED_TRACE(event);
    expect_refused("log.jsonl", [&] { curves(event + '\n'); });
  }
  for (const std::string look :
       {"5", "{}", "{\"step\":1}", "{\"step\":\"a\",\"items\":[]}", "{\"step\":1,\"items\":{}}"}) {
    SCOPED_TRACE(look);
    std::ofstream(folder_ / "lens.jsonl") << look << '\n';
    expect_refused("lens.jsonl", [&] { curves(""); });
  }
}

// The page would read beyond the values, or add columns for ever.
TEST_F(RunCurvesTest, ArraysWhoseShapesDoNotFitAreRefused) {
  const auto read = [&](const std::string& array) {
    std::ofstream(folder_ / "lens.jsonl") << R"({"step":1,"items":[{"maps":[{"weights":)" << array << "}]}]}\n";
    return curves("");
  };
  for (const auto* array :
       {R"({"shape":[2,1],"values":[1,2]})", R"({"shape":[],"values":[1]})", R"({"shape":[3,0],"values":[]})"})
    EXPECT_NO_THROW(read(array)) << array;
  for (const auto* array :
       {R"({"shape":[1,-5],"values":[0]})", R"({"shape":[1,1000000],"values":[0]})", R"({"shape":[1.0],"values":[0]})",
        R"({"shape":[4294967296,4294967296],"values":[]})", R"({"shape":2,"values":[0,0]})",
        R"({"shape":[1],"values":7})", R"({"shape":[1],"values":["a"]})", R"({"shape":[1],"values":[1e300]})",
        R"({"shape":[0],"values":[1]})"})
    EXPECT_THROW(read(array), DataError) << array;
}

TEST_F(RunCurvesTest, OnlyRegularFilesAreRead) {
  const auto read = [&] { run_curves(std::vector{folder_.path()}); };
  const auto log = folder_ / "log.jsonl", lens = folder_ / "lens.jsonl";
  std::filesystem::create_symlink("/dev/zero", log);
  EXPECT_THAT(read, ThrowsMessage<DataError>(HasSubstr("log.jsonl: wanted a regular file")));
  std::filesystem::remove(log);
  std::filesystem::create_directory(log);
  EXPECT_THROW(read(), DataError);
  std::filesystem::remove(log);
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  EXPECT_THROW(read(), DataError);
  std::filesystem::rename(log, lens);
  EXPECT_THROW(curves(""), DataError);
}

TEST_F(RunCurvesTest, AFileThatCannotBeOpenedIsAnIoError) {
  std::filesystem::create_symlink("lens.jsonl", folder_ / "lens.jsonl");  // leads to itself
  EXPECT_THROW(curves(""), IoError);
  std::filesystem::remove(folder_ / "log.jsonl");
  std::filesystem::create_symlink("log.jsonl", folder_ / "log.jsonl");
  EXPECT_THROW(run_curves(std::vector{folder_.path()}), IoError);
}

}  // namespace
}  // namespace gloss
