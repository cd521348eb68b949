#include "pipeline/explain/run_curves.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

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

}  // namespace
}  // namespace gloss
