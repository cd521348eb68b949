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

TEST_F(RunCurvesTest, ADamagedLogAndAFolderWithoutOneAreRefused) {
  EXPECT_THROW(curves("nonsense\n"), DataError);
  EXPECT_THROW(run_curves(std::vector{folder_.path() / "missing"}), UsageError);
}

}  // namespace
}  // namespace gloss
