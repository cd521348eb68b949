#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/untrained_translator.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

using TranslateOptionsTest = UntrainedTranslator;

TEST_F(TranslateOptionsTest, PlainTranslationsAreThoseOfTheFastTwinsAndTakeFloat32Only) {
  const std::string input = "bada\n\nkilo muna\nlast without an end\n";
  for (const auto* beam : {"1", "3"}) {
    const auto plain = translate(input, {"--beam", beam, "--n-best", "1", "--plain"});
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    const auto got = lines_of(plain.out), wanted = lines_of(translate(input, {"--beam", beam, "--n-best", "1"}).out);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(got[i].substr(0, got[i].rfind(' ')), wanted[i].substr(0, wanted[i].rfind(' ')));
      EXPECT_NEAR(score_of(got[i]), score_of(wanted[i]), 2e-4);
    }
    for (const auto* threads : {"1", "2"})
      for (const auto* batch_size : {"1", "64"})
        EXPECT_EQ(run_gloss({"translate", "--model", model_, "--device", "cpu", "--threads", threads, "--batch-size",
                             batch_size, "--beam", beam, "--n-best", "1", "--plain"},
                            input)
                      .out,
                  plain.out)
            << threads << " threads, batches of " << batch_size;
  }
  EXPECT_EQ(translate(input, {"--plain", "--alignment"}).out, translate(input, {"--alignment"}).out);
  const auto refused = translate(input, {"--plain", "--precision", "int8"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--precision: wanted float32 beside --plain, got int8"));
}

TEST_F(TranslateOptionsTest, NBestLinesHaveNumberTextAndScoreBestFirst) {
  const auto outcome = translate("bada\n\nkilo\n", {"--beam", "3", "--n-best", "2"});
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5u) << outcome.err;
  for (const auto i : {0, 1, 3, 4}) EXPECT_THAT(lines[i], MatchesRegex("[13] \\|\\|\\| .* \\|\\|\\| -[0-9.]+"));
  EXPECT_EQ(lines[2], "2 |||  ||| 0.000000");
  EXPECT_GE(score_of(lines[0]), score_of(lines[1]));
  EXPECT_GE(score_of(lines[3]), score_of(lines[4]));
}

TEST_F(TranslateOptionsTest, DecodingOptionsReachTheSearch) {
  const auto length = [&](const Arguments& more) { return translate("bada\n", more).out.size(); };
  EXPECT_LT(length({"--beam", "1", "--max-length", "2"}), length({"--beam", "1", "--max-length", "30"}));
  const auto score = [&](const Arguments& more) {
    Arguments all = {"--n-best", "1", "--beam", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return score_of(lines_of(translate("bada\n", all).out).front());
  };
  const auto plain = score({"--length-penalty", "0"}), normalized = score({"--length-penalty", "1"});
  EXPECT_LT(plain, normalized);
  EXPECT_NE(score({"--length-penalty", "1", "--length-penalty-kind", "gnmt"}), normalized);
}

TEST_F(TranslateOptionsTest, ConstraintsReachTheSearch) {
  const auto said = [&](const Arguments& more) {
    Arguments all = {"--beam", "1", "--max-length", "12", "--min-length", "12"};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = translate("bada\n", all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return lines_of(outcome.out).at(0);
  };
  const auto usual = said({});
  for (const Arguments& option : {Arguments{"--no-repeat-ngram", "1"}, {"--repetition-penalty", "9"}})
    EXPECT_NE(said(option), usual) << option[0];
  EXPECT_EQ(said({"--no-repeat-ngram", "0", "--repetition-penalty", "1"}), usual);
  EXPECT_THAT(said({"--no-unk"}), Not(HasSubstr("\u2047")));
  const auto score = [&](const Arguments& more) {
    Arguments all = {"--n-best", "1", "--beam", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return score_of(lines_of(translate("bada kilo\n", all).out).front());
  };
  EXPECT_LT(score({"--coverage-penalty", "3"}), score({}));
}

TEST_F(TranslateOptionsTest, ATranslationBeginsWithItsLineOfThePrefixFile) {
  const auto prefix = run_ / "prefix";
  write_text(prefix, "bada\n\nkilo\n");
  const auto outcome = translate("muna\nrato\nbada\n", {"--prefix", prefix, "--batch-size", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("bada")) << lines[0];
  EXPECT_TRUE(lines[2].starts_with("kilo")) << lines[2];
  EXPECT_EQ(lines[1], lines_of(translate("rato\n").out)[0]);
}

TEST_F(TranslateOptionsTest, APrefixFileOfAnotherNumberOfLinesIsRefused) {
  write_text(run_ / "prefix", "a\nb\n");
  for (const auto* input : {"bada\n", "bada\nkilo\nmuna\n"}) {
    const auto outcome = translate(input, {"--prefix", run_ / "prefix"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("--prefix"), HasSubstr("got 2")));
  }
  const auto missing = translate("bada\n", {"--prefix", "/no/such/file"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--prefix: there is no file /no/such/file"));
}

TEST_F(TranslateOptionsTest, ClosestToPrintsTheCandidateOfTheBestSentenceBleu) {
  const std::string input = "bada kilo\nmuna rato\nkilo\n";
  std::vector<std::string> texts;
  for (const auto& line : lines_of(translate(input, {"--beam", "4", "--n-best", "4"}).out))
    texts.push_back(line.substr(6, line.rfind(" ||| ") - 6));
  ASSERT_EQ(texts.size(), 12u);
  const auto reference = run_ / "reference";
  write_text(reference, texts[2] + '\n' + texts[7] + "\nnothing in common\n");
  const auto closest = [&](const Arguments& more) {
    Arguments all = {"--beam", "4", "--closest-to", reference};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = translate(input, all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return lines_of(outcome.out);
  };
  EXPECT_THAT(closest({}), ElementsAre(texts[2], texts[7], texts[8]));  // of equal ones the first
  EXPECT_EQ(closest({"--batch-size", "1"}), closest({}));
  const auto of_two = closest({"--n-best", "2"});
  EXPECT_NE(of_two[0], texts[2]);
  EXPECT_EQ(of_two[2], texts[8]);
}

TEST_F(TranslateOptionsTest, ClosestToNeedsSeveralTranslationsAndALineForEach) {
  write_text(run_ / "reference", "a\nb\n");
  for (const Arguments& single : {Arguments{"--beam", "1"}, {"--beam", "4", "--n-best", "1"}, {"--sample"}}) {
    Arguments all = {"--closest-to", run_ / "reference"};
    all.insert(all.end(), single.begin(), single.end());
    const auto outcome = translate("bada\nkilo\n", all);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--closest-to: wanted several translations"));
  }
  for (const auto* input : {"bada\n", "bada\nkilo\nmuna\n"}) {
    const auto outcome = translate(input, {"--closest-to", run_ / "reference"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("--closest-to"), HasSubstr("got 2")));
  }
}

TEST_F(TranslateOptionsTest, DrawsAreOfTheSeedAndTheLinesNumber) {
  const std::string input = "bada\nbada\nkilo muna\nbada\nbada\nbada\n";
  const auto draw = [&](const Arguments& more) {
    Arguments all = {"--sample", "--max-length", "20"};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = translate(input, all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return lines_of(outcome.out);
  };
  const auto usual = draw({});
  ASSERT_EQ(usual.size(), 6u);
  EXPECT_EQ(draw({"--batch-size", "1"}), usual);
  EXPECT_EQ(draw({"--seed", "1"}), usual);
  EXPECT_NE(draw({"--seed", "2"}), usual);
  EXPECT_NE(usual[0], usual[1]);
  const auto likeliest = draw({"--top-k", "1"});
  EXPECT_EQ(likeliest[0], lines_of(translate(input, {"--beam", "1", "--max-length", "20"}).out)[0]);
  EXPECT_EQ(draw({"--top-p", "0.000001"}), likeliest);
  EXPECT_EQ(draw({"--temperature", "0.000001"}), likeliest);
  EXPECT_EQ(draw({"--n-best", "7"}).size(), 42u);

  Process process(translating({"--sample", "--max-length", "20"}));  // a line at a time
  for (std::size_t i = 0; i < 6; ++i) {
    process.write(lines_of(input)[i] + "\n");
    EXPECT_EQ(process.read_line(), usual[i] + "\n");
  }
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(TranslateOptionsTest, OptionsWithoutEffectAreRefused) {
  const auto refusal = [&](const Arguments& more) {
    const auto outcome = translate("bada\n", more);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  for (const auto* option : {"--temperature", "--top-k", "--top-p", "--seed"})
    EXPECT_THAT(refusal({option, "1"}), HasSubstr(std::string(option) + ": has an effect beside --sample only"));
  for (const auto* option : {"--beam", "--patience", "--coverage-penalty"})
    EXPECT_THAT(refusal({"--sample", option, "1"}), HasSubstr(std::string(option) + ": has no effect"));
}

// A model whose run file draws, and never generates the unknown word.
TEST_F(TranslateOptionsTest, WhatTheRunFileSwitchesOnTheCommandLineSwitchesOff) {
  const auto trained =
      run_gloss(run_.training("drawing", {"--set", "training.max_steps=0", "--set", "decoding.no_unk=true", "--set",
                                          "decoding.sampling.enabled=true"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto of_drawing = [&](const Arguments& more) {
    Arguments arguments = {"translate", "--model", run_ / "drawing", "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments, "bada\nkilo muna\n");
  };
  const auto usual = translate("bada\nkilo muna\n", {"--no-unk"}).out;
  EXPECT_EQ(of_drawing({"--no-sample"}).out, usual);
  EXPECT_EQ(of_drawing({"--no-sample", "--beam", "3"}).out, usual);
  EXPECT_NE(of_drawing({}).out, usual);
  EXPECT_EQ(of_drawing({}).out, translate("bada\nkilo muna\n", {"--sample", "--no-unk"}).out);
  EXPECT_EQ(translate("bada\nkilo muna\n", {"--no-sample", "--unk"}).out, translate("bada\nkilo muna\n").out);
  const auto unknown = [&](const Arguments& more) {  // of many draws some are
    Arguments arguments = {"--n-best", "200"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return of_drawing(arguments).out.find("\u2047") != std::string::npos;
  };
  EXPECT_FALSE(unknown({}));
  EXPECT_TRUE(unknown({"--unk"}));

  write_text(run_ / "glossary", "bada\tkilo\n");
  const std::string drawn = "drawn (decoding.sampling.enabled of the model's run file; --no-sample searches)";
  for (const Arguments& refused : {Arguments{"--beam", "2"}, {"--glossary", run_ / "glossary"}}) {
    const auto outcome = of_drawing(refused);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(drawn));
  }
  EXPECT_EQ(of_drawing({"--no-sample", "--glossary", run_ / "glossary"}).exit_code, 0);
  const auto barred = of_drawing({"--replace-unknown"});
  EXPECT_EQ(barred.exit_code, 2);
  EXPECT_THAT(barred.err, HasSubstr("(decoding.no_unk of the model's run file; --unk allows it)"));
  EXPECT_EQ(of_drawing({"--replace-unknown", "--unk"}).exit_code, 0);
  EXPECT_THAT(of_drawing({"--no-sample", "--top-k", "2"}).err,
              HasSubstr("--top-k: has an effect beside --sample only"));
  for (const Arguments& both : {Arguments{"--sample", "--no-sample"}, {"--no-unk", "--unk"}}) {
    const auto outcome = of_drawing(both);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(both[0]), HasSubstr(both[1])));
  }
}

TEST_F(TranslateOptionsTest, RefusesMoreResultsThanTheModelsOwnBeamHolds) {
  const auto outcome = translate("bada\n", {"--n-best", "4"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--n-best: wanted a whole number from 1 to --beam (3), got 4"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

}  // namespace
}  // namespace gloss
