#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A model that nobody trained, and lines that it translates and scores.
class EvaluateModelTest : public testing::Test {
 protected:
  EvaluateModelTest() {
    write_text(source_, text_);
    write_text(reference_, "bada\nkilo muna rato\nmuna\n");
  }

  Outcome evaluate(const Arguments& more) const {
    Arguments arguments = {"evaluate", "--model", model_,      "--source", source_,     "--reference",  reference_,
                           "--device", "cpu",     "--threads", "1",        "--metrics", "bleu,chrf,ter"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  }
  std::string translated(const Arguments& more) const {
    Arguments arguments = {"translate", "--model", model_, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run_gloss(arguments, text_);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  /// The translations that `evaluate` keeps.
  std::string kept(Arguments more) const {
    const std::string file = run_ / "kept";
    more.insert(more.end(), {"--output", file});
    const auto outcome = evaluate(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_text(file);
  }

  SmallRun run_;
  std::string text_ = "bada\nkilo muna\nrato bada kilo\n";
  std::string source_ = run_ / "source", reference_ = run_ / "reference";
  std::string model_ = run_.untrained_model();
};

TEST_F(EvaluateModelTest, SearchesAsTranslateDoes) {
  const auto usual = translated({});
  EXPECT_EQ(kept({}), usual);
  const Arguments twelve = {"--max-length", "12", "--min-length", "12"};
  for (const Arguments& option : {Arguments{"--beam", "1"},
                                  {"--length-penalty", "3"},
                                  {"--no-repeat-ngram", "1"},
                                  {"--repetition-penalty", "9"},
                                  {"--coverage-penalty", "5"},
                                  {"--no-unk"},
                                  {"--precision", "int8"},
                                  {"--patience", "0.4"},
                                  {"--batch-size", "1"},
                                  {"--length-penalty-kind", "gnmt"}}) {
    auto options = twelve;
    options.insert(options.end(), option.begin(), option.end());
    EXPECT_EQ(kept(options), translated(options)) << option[0];
  }
  EXPECT_NE(kept(twelve), usual);
}

TEST_F(EvaluateModelTest, DrawsAreOfTheirOwnSeed) {
  const auto draw = [&](const std::string& seed) {
    return kept({"--sample", "--sample-seed", seed, "--confidence", "--seed", "5"});
  };
  EXPECT_EQ(draw("3"), translated({"--sample", "--seed", "3"}));
  EXPECT_NE(draw("3"), draw("4"));
  EXPECT_THAT(evaluate({"--sample-seed", "3"}).err, HasSubstr("--sample-seed: has an effect beside --sample only"));
}

TEST_F(EvaluateModelTest, KeptTranslationsAreThoseThatAreScored) {
  const auto scored = evaluate({"--output", run_ / "kept"});
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_EQ(scored.out, run_gloss({"evaluate", "--hypothesis", run_ / "kept", "--reference", reference_, "--metrics",
                                   "bleu,chrf,ter"})
                            .out);
  EXPECT_THAT(scored.out, StartsWith("BLEU = "));
}

TEST_F(EvaluateModelTest, AnOutputThatCannotBeWrittenIsRefusedAndLeavesNothing) {
  const auto outcome = evaluate({"--output", run_ / "no" / "kept"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(run_ / "no"));
}

TEST_F(EvaluateModelTest, OptionsOfTheModelNeedOne) {
  for (const Arguments& option : {Arguments{"--beam", "2"}, {"--no-unk"}, {"--output", "x"}, {"--precision", "int8"}}) {
    Arguments arguments = {"evaluate", "--reference", reference_, "--hypothesis", source_};
    arguments.insert(arguments.end(), option.begin(), option.end());
    const auto outcome = run_gloss(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(option[0] + " requires --model")) << option[0];
  }
}

}  // namespace
}  // namespace gloss
