#include "pipeline/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/small_job.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class RunReportTest : public testing::Test {
 protected:
  RunReportTest() { folder_.keep(); }

  std::string said(const std::function<void()>& report) const {
    testing::internal::CaptureStderr();
    report();
    return testing::internal::GetCapturedStderr();
  }
  Json logged() const { return parse_json(lines_of_file(folder_.log_file()).back()); }

  TemporaryFolder place_;
  RunFolder folder_{place_ / "run", false, false};
};

TEST(ProgressTextTest, TheBarIsFullAtTheEndOnly) {
  EXPECT_EQ(progress_text({.step = 0, .last_step = 200, .seconds_left = 0}),
            "[..............................]   0 %  step 0 of 200  0 s left");
  EXPECT_EQ(progress_text({.step = 58, .last_step = 200, .seconds_left = 75}),
            "[########......................]  29 %  step 58 of 200  1 min left");
  EXPECT_EQ(progress_text({.step = 999, .last_step = 1000, .seconds_left = 1}),
            "[#############################.]  99 %  step 999 of 1000  1 s left");
  EXPECT_EQ(progress_text({.step = 200, .last_step = 200, .seconds_left = 0}),
            "[##############################] 100 %  step 200 of 200  0 s left");
}

TEST_F(RunReportTest, AStepIsALineAndAnEvent) {
  TrainingReport report;
  report.step = 50;
  report.last_step = 1200;
  report.epoch = 3;
  report.loss = 2;
  report.learning_rate = 0.00025;
  report.tokens_per_second = 812.4;
  report.seconds_left = 3700;
  report.skipped = 1;
  EXPECT_EQ(said([&] { report_step(folder_, report); }),
            "step 50 of 1200  epoch 3  loss 2.0000  perplexity 7.39  812 target tokens/s  learning rate 0.00025  "
            "1 h 01 min left\n");
  EXPECT_EQ(logged().at("event"), "step");
  EXPECT_EQ(logged().at("seconds_left"), 3700);
  EXPECT_NEAR(logged().at("perplexity"), 7.38906, 1e-5);
  EXPECT_EQ(logged().at("target_tokens_per_second"), 812.4);
  EXPECT_EQ(logged().at("skipped_updates"), 1);
}

TEST_F(RunReportTest, AValidationShowsSamplesSafely) {
  const ValidationReport validation{
      {.loss = 1, .bleu = 12.345}, "signature", {{7, "a man", "ein Mann", "ein \x1b[2J Hund"}}, {}};
  EXPECT_EQ(said([&] { report_validation(folder_, 100, validation); }),
            "validation at step 100  loss 1.0000  perplexity 2.72  BLEU 12.35 (greedy)\n"
            "  line 7  source       a man\n"
            "  line 7  reference    ein Mann\n"
            "  line 7  translation  ein \\x1b[2J Hund\n");
  EXPECT_EQ(logged().at("event"), "validation");
  EXPECT_EQ(logged().at("step"), 100);
  EXPECT_EQ(logged().at("greedy_bleu"), 12.345);
  EXPECT_EQ(logged().at("samples"),
            (Json{{{"line", 7}, {"source", "a man"}, {"reference", "ein Mann"}, {"translation", "ein \x1b[2J Hund"}}}));
}

TEST_F(RunReportTest, TheModelIsSaidToBeOfAStepOrAMean) {
  const ValidationReport validation{{.loss = 1, .bleu = 3}, "signature", {}, {}};
  const std::vector<std::int64_t> one = {8}, three = {4, 6, 8};
  EXPECT_THAT(said([&] { report_model(folder_, one, validation); }),
              HasSubstr("the model is that of step 8  loss 1.0000"));
  EXPECT_THAT(said([&] { report_model(folder_, three, validation); }),
              HasSubstr("the model is the mean of those of steps 4, 6, 8  loss"));
  EXPECT_EQ(logged().at("weights_of_steps"), (Json{4, 6, 8}));
}

TEST_F(RunReportTest, PairsLeftOutAreWarnedOfByReason) {
  CorpusReport report;
  report.too_long.note(3);
  report.too_long.note(9);
  report.crlf = true;
  EXPECT_EQ(said([&] { warn_of("training", report, 64); }),
            "warning: 2 training pairs left out: more than data.max_length = 64 pieces (first lines: 3, 9)\n"
            "warning: the training text has Windows line ends (CR LF); they were dropped\n");
}

TEST(DurationTest, HasTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(59.9), "59 s");
  EXPECT_EQ(duration_text(60), "1 min");
  EXPECT_EQ(duration_text(3599), "59 min");
  EXPECT_EQ(duration_text(3600 + 5 * 60), "1 h 05 min");
  EXPECT_EQ(duration_text(51 * 3600), "2 d 3 h");
}

}  // namespace
}  // namespace gloss
