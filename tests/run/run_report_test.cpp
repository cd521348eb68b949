#include "run/run_report.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/run/small_job.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class RunReportTest : public testing::Test {
 protected:
  RunReportTest() { folder_.keep(); }

  std::string printed(const std::function<void()>& report) const {
    testing::internal::CaptureStderr();
    report();
    return testing::internal::GetCapturedStderr();
  }
  Json logged() const { return parse_json(lines_of_file(folder_.files().log).back()); }

  TemporaryFolder place_;
  RunFolder folder_{place_ / "run", false, false};
};

TEST(ProgressTextTest, UsesTheAvailableColumnsAndKeepsTheTimeLeft) {
  const TrainingProgress progress{.step = 1354,
                                  .last_step = 4640,
                                  .seconds_left = 39 * 60,
                                  .epoch = 3,
                                  .loss = 2.1234,
                                  .tokens_per_second = 6840.4};
  EXPECT_EQ(progress_text(progress, 199),
            "[########......................]  29 %  39 min left  loss 2.123  epoch 3  6840 tokens/s  step 1354/4640");
  EXPECT_EQ(progress_text(progress, 79),
            "[#.....]  29 %  39 min left  loss 2.123  epoch 3  6840 tokens/s  step 1354/4640");
  EXPECT_EQ(progress_text(progress, 49), "[##.....]  29 %  39 min left  loss 2.123  epoch 3");
  EXPECT_EQ(progress_text(progress, 19), " 29 %  39 min left");
  for (std::size_t columns = 18; columns < 120; ++columns) {
    EXPECT_LE(progress_text(progress, columns).size(), columns);
    EXPECT_THAT(progress_text(progress, columns), HasSubstr("39 min left"));
  }
}

TEST(ProgressTextTest, TheBarIsFullAtTheEndOnly) {
  EXPECT_THAT(progress_text({.step = 0, .last_step = 200}, 120), StartsWith("[..............................]   0 %"));
  EXPECT_THAT(progress_text({.step = 999, .last_step = 1000}, 120),
              StartsWith("[#############################.]  99 %"));
  EXPECT_THAT(progress_text({.step = 200, .last_step = 200}, 120),
              StartsWith("[##############################] 100 %"));
}

TEST_F(RunReportTest, AnEarlyLossIsPrintedOnceAndOnlyBeforeTheFirstReport) {
  TrainingProgress progress{.step = 3, .last_step = 200, .seconds_left = 75, .epoch = 1, .loss = 9.5};
  progress.tokens_per_second = 812;
  ProgressDisplay display(200);
  EXPECT_EQ(printed([&] { display.show(progress); }), "");
  progress.seconds = 4;
  EXPECT_EQ(printed([&] { display.show(progress); }),
            "step 3 of 200  epoch 1  loss 9.5000  812 target tokens/s  1 min left\n");
  EXPECT_EQ(printed([&] { display.show(progress); }), "");
  EXPECT_TRUE(lines_of_file(folder_.files().log).empty());  // the log has no step more
  ProgressDisplay later(200);
  later.step_reported();
  EXPECT_EQ(printed([&] { later.show(progress); }), "");
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
  EXPECT_EQ(printed([&] { report_step(folder_, report, 1200); }),
            "step 50 of 1200  epoch 3  loss 2.0000  perplexity 7.39  812 target tokens/s  learning rate 0.00025  "
            "1 h 01 min left\n");
  EXPECT_EQ(logged().at("event"), "step");
  EXPECT_EQ(logged().at("seconds_left"), 3700);
  EXPECT_NEAR(logged().at("perplexity"), 7.38906, 1e-5);
  EXPECT_EQ(logged().at("target_tokens_per_second"), 812.4);
  EXPECT_EQ(logged().at("skipped_updates"), 1);
}

TEST_F(RunReportTest, ALastStepThatFollowsFromEpochsIsAnEstimateUntilItIsReached) {
  TrainingReport report;
  report.step = 50;
  report.last_step = 1200;
  EXPECT_THAT(printed([&] { report_step(folder_, report, 100'000); }), StartsWith("step 50 of about 1200  epoch"));
  report.step = 1200;
  EXPECT_THAT(printed([&] { report_step(folder_, report, 100'000); }), StartsWith("step 1200 of 1200  epoch"));
}

TEST_F(RunReportTest, AValidationShowsSamplesSafely) {
  const ValidationReport validation{
      {.loss = 1, .bleu = 12.345}, "signature", {{7, "a man", "ein Mann", "ein \x1b[2J Hund"}}, {}};
  EXPECT_EQ(printed([&] { report_validation(folder_, 100, validation, 1); }),
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

TEST_F(RunReportTest, SamplesThatAreNotPrintedAreLogged) {
  ValidationReport validation{{.loss = 1, .bleu = 12}, "signature", {}, {}};
  for (const auto* text : {"one", "two", "three"}) validation.samples.push_back({1, text, text, text});
  EXPECT_THAT(printed([&] { report_validation(folder_, 100, validation, 2); }),
              AllOf(HasSubstr("source       one"), HasSubstr("source       two"), Not(HasSubstr("three"))));
  EXPECT_EQ(logged().at("samples").size(), 3U);
  EXPECT_THAT(printed([&] { report_model(folder_, std::vector<std::int64_t>{8}, validation, 0); }),
              Not(HasSubstr("one")));
  EXPECT_EQ(logged().at("samples").size(), 3U);
}

TEST(SampleLinesTest, AreCutToTheTerminalAndWholeElsewhere) {
  const Sample sample{7, std::string(2000, 'a'), "ein Mann", "\u4f60\u597d\u4f60\u597d\u4f60\u597d"};
  const auto cut = sample_lines(sample, 30);
  EXPECT_EQ(cut[0], "  line 7  source       aaaa...");
  EXPECT_EQ(cut[1], "  line 7  reference    ein ...");
  EXPECT_EQ(cut[2], "  line 7  translation  \u4f60\u597d...");
  EXPECT_EQ(sample_lines(sample, std::nullopt)[0], "  line 7  source       " + std::string(2000, 'a'));
}

TEST_F(RunReportTest, TheModelIsReportedAsThatOfAStepOrAMean) {
  const ValidationReport validation{{.loss = 1, .bleu = 3}, "signature", {}, {}};
  const std::vector<std::int64_t> one = {8}, three = {4, 6, 8};
  EXPECT_THAT(printed([&] { report_model(folder_, one, validation, 1); }),
              HasSubstr("the model is that of step 8  loss 1.0000"));
  EXPECT_THAT(printed([&] { report_model(folder_, three, validation, 1); }),
              HasSubstr("the model is the mean of those of steps 4, 6, 8  loss"));
  EXPECT_EQ(logged().at("weights_of_steps"), (Json{4, 6, 8}));
}

TEST_F(RunReportTest, PairsLeftOutAreWarnedOfByReason) {
  CorpusReport report;
  report.lines = 100;
  report.too_long.note(3);
  report.too_long.note(9);
  report.crlf = true;
  report.ratio.note(4);
  report.copied.note(5);
  report.repeated.note(6);
  DataConfig data;
  data.max_length = 64;
  data.filters.max_ratio = 2.5;
  EXPECT_EQ(printed([&] { warn_of("training", report, data); }),
            "warning: 2 training pairs left out: more than data.max_length = 64 pieces (first lines: 3, 9)\n"
            "warning: 1 training pair left out: one side has more than data.max_ratio = 2.5 times the pieces of the "
            "other (first lines: 4)\n"
            "warning: 1 training pair left out: the target is the source (data.skip_copied) (first lines: 5)\n"
            "warning: 1 training pair left out: they repeat an earlier pair (data.skip_repeated) (first lines: 6)\n"
            "warning: the training text has Windows line ends (CR LF); they were dropped\n");
}

TEST_F(RunReportTest, ATextOfWhichMuchIsLeftOutIsWarnedOfInALineOfItsOwn) {
  CorpusReport report;
  report.lines = 1000;
  report.pairs = 100;
  report.too_long.count = 900;
  EXPECT_THAT(printed([&] { warn_of("training", report, {}); }),
              HasSubstr("warning: only 100 of the 1000 training pairs are used: 90 % of the text is left out"));
  report.pairs = 900;
  report.too_long.count = 100;
  EXPECT_THAT(printed([&] { warn_of("training", report, {}); }), Not(HasSubstr("only")));
}

TEST(ScoreTextTest, AHugePerplexityHasFewDigits) {
  const TemporaryFolder place;
  RunFolder folder(place / "run", false, false);
  folder.keep();
  testing::internal::CaptureStderr();
  report_validation(folder, 1, {{.loss = 312, .bleu = 0}, "", {}, {}}, 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "validation at step 1  loss 312.0000  perplexity 3.16e+135  BLEU 0.00 (greedy)\n");
}

TEST(BestTextTest, NamesStepsAndHintsIfTheLossHasRisenForAThirdOfTheRun) {
  const ValidationScores scores{
      .start_loss = {}, .start_bleu = {}, .best_loss = {{2.5, 300}}, .best_bleu = {{31.2, 400}}};
  EXPECT_EQ(best_text(scores), "loss 2.5000 at step 300, BLEU 31.20 at step 400");
  EXPECT_EQ(best_text({}), "");
  EXPECT_EQ(rising_loss_hint(scores, 599, 900), "");
  EXPECT_THAT(rising_loss_hint(scores, 600, 900),
              AllOf(HasSubstr("has not fallen for a third of the run"), HasSubstr("BLEU 31.20 at step 400")));
  EXPECT_EQ(rising_loss_hint({}, 600, 900), "");
}

TEST(WorseThanStartTest, ALowerBleuOrAHigherLossWithoutAGainInBleuIsWarnedOf) {
  const ValidationScores start{.start_loss = {{2, 0}}, .start_bleu = {{30.18, 0}}, .best_loss = {}, .best_bleu = {}};
  EXPECT_THAT(worse_than_start(start, {.loss = 78, .bleu = 0}),
              AllOf(HasSubstr("loss 78.0000"), HasSubstr("BLEU 0.00 (greedy) instead of loss 2.0000"),
                    HasSubstr("BLEU 30.18"), HasSubstr("training.learning_rate")));
  EXPECT_NE(worse_than_start(start, {.loss = 2.1, .bleu = 29.42}), "");
  EXPECT_NE(worse_than_start(start, {.loss = 1.9, .bleu = 29.42}), "") << "its translations are worse";
  EXPECT_NE(worse_than_start(start, {.loss = 2.1, .bleu = 30.18}), "");
  EXPECT_EQ(worse_than_start(start, {.loss = 2.1, .bleu = 30.5}), "") << "its translations are better";
  EXPECT_EQ(worse_than_start(start, {.loss = 2.01, .bleu = 29.8}), "") << "chance";
  EXPECT_EQ(worse_than_start(start, {.loss = 1.9, .bleu = 31}), "");
  const ValidationScores only_loss{.start_loss = {{2, 0}}, .start_bleu = {}, .best_loss = {}, .best_bleu = {}};
  EXPECT_NE(worse_than_start(only_loss, {.loss = 2.1, .bleu = {}}), "");
  EXPECT_EQ(worse_than_start(only_loss, {.loss = 1.9, .bleu = {}}), "");
  EXPECT_EQ(worse_than_start({}, {.loss = 78, .bleu = 0}), "") << "a new model";
}

TEST(FinishedLinesTest, NameWhatMayBeDeleted) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "checkpoints");
  std::ofstream(folder / "checkpoints" / "step-00000001.safetensors") << std::string(3 << 20, 'x');
  std::filesystem::create_symlink("step-00000001.safetensors", folder / "checkpoints" / "best.safetensors");
  std::ofstream(folder / "corpus.cache") << std::string(1 << 20, 'x');
  const auto path = folder.path().string();
  EXPECT_EQ(finished_lines(folder.path(), folder / "m").back(),
            "only training on needs its checkpoints and encoded text, 4.0 MiB; to delete them: rm -r " + path +
                "/checkpoints " + path + "/corpus.cache");
}

TEST(FinishedLinesTest, NameTheModelAndTheNextCommands) {
  const TemporaryFolder folder;
  std::ofstream(folder / "m") << std::string(1'250'000, 'x');
  EXPECT_THAT(finished_lines("runs/x", folder / "m"),
              ElementsAre("the model is " + (folder / "m").string() + ", 1.2 MiB",
                          "translate with: gloss translate --model runs/x < text",
                          "see how it was trained: gloss explain --run runs/x --output training.html",
                          HasSubstr("to delete them: rm -r runs/x/checkpoints runs/x/corpus.cache")));
}

TEST(StageTextTest, NamesTextsWeightsAndEpochs) {
  const std::vector<TrainingStage> stages = {
      {.sources = {{"a.en", "a.de", 1}, {"b.en", "b.de", 0.25}}, .until_epochs = 3},
      {.sources = {{"c.en", "c.de", 2}}, .until_epochs = {}}};
  EXPECT_EQ(stage_text(stages, 0), "stage 1 of 2, 3 epochs: a.en and a.de; b.en and b.de (weight 0.25)");
  EXPECT_EQ(stage_text(stages, 1), "stage 2 of 2: c.en and c.de (weight 2)");
}

}  // namespace
}  // namespace gloss
