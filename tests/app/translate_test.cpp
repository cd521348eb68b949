#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/app/process.h"
#include "tests/app/small_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

/// Bytes of address space that a process has.
rlim_t memory_of(pid_t process) {
  rlim_t pages = 0;
  std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

double score_of(const std::string& n_best_line) { return std::stod(n_best_line.substr(n_best_line.rfind(' ') + 1)); }

/// A model that nobody trained: what it says means nothing, but lines in are lines out.
class TranslateTest : public testing::Test {
 protected:
  Arguments translating(const Arguments& more = {}) const {
    Arguments arguments = {"translate", "--model", model_, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Outcome translate(const std::string& input, const Arguments& more = {}) const {
    return run_gloss(translating(more), input);
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

TEST_F(TranslateTest, OneLineOutForEachLineInAndEmptyForEmpty) {
  const auto outcome = translate("bada\n\n   \nkilo muna\nlast without an end");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "");
  EXPECT_TRUE(outcome.out.ends_with('\n'));
}

TEST_F(TranslateTest, PlainTranslationsAreThoseOfTheFastTwinsAndTakeFloat32Only) {
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

TEST_F(TranslateTest, AByteOrderMarkAloneIsAnEmptyLine) {
  EXPECT_EQ(translate("\xef\xbb\xbf").out, "\n");
  EXPECT_EQ(translate("\xef\xbb\xbf\n").out, "\n");
}

TEST_F(TranslateTest, FilesInPlaceOfStdinAndStdout) {
  const std::string input = run_ / "input", output = run_ / "output";
  write_text(input, "bada\nkilo muna\n");
  const auto expected = translate("bada\nkilo muna\n").out;
  EXPECT_EQ(translate("rato\n", {"--input", input}).out, expected);
  for (int again = 0; again < 2; ++again) {  // an older file is replaced
    const auto outcome = translate("", {"--input", input, "--output", output});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_EQ(read_text(output), expected);
    write_text(output, "older\n");
  }
  EXPECT_EQ(translate("", {"--input", run_ / "absent"}).exit_code, 2);
  EXPECT_EQ(translate("bada\n", {"--output", run_ / "absent/output"}).exit_code, 4);
}

TEST_F(TranslateTest, AnOutputIsNeverAnInputNorHalfWritten) {
  const std::string input = run_ / "input", link = run_ / "link", output = run_ / "output";
  write_text(input, "bada\nkilo\n");
  std::filesystem::create_hard_link(input, link);
  std::filesystem::create_symlink("input", run_ / "symbolic");
  for (const std::string& same : {input, link, std::string(run_ / "symbolic")}) {
    const auto outcome = translate("", {"--input", input, "--output", same});
    EXPECT_EQ(outcome.exit_code, 2) << same;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("--output"), HasSubstr("--input")));
  }
  EXPECT_EQ(read_text(input), "bada\nkilo\n");
  write_text(run_ / "prefix", "b\nk\nm\n");  // one line too many, which is found at the end
  EXPECT_EQ(translate("", {"--input", input, "--output", output, "--prefix", run_ / "prefix"}).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(output));
}

// The prefix takes the place of a translation that lost its later sentences.
TEST(ParagraphTest, LostSentencesAreFlaggedAndWarnedOfOnce) {
  const SmallRun run;
  for (const auto* file : {"train.source", "train.target"})
    write_text(run.corpus(file), read_text(run.corpus(file)) + "bada. kilo.\n");
  const auto model = run.untrained_model();
  const std::string paragraph = "Bada. Kilo. Muna. Rato. Bada. Kilo.\n";
  write_text(run / "prefix", "bada.\nbada.\nbada.\n");
  const auto translate = [&](const std::string& text, const Arguments& more) {
    Arguments all = {"translate", "--model", model, "--device", "cpu", "--threads", "1", "--prefix", run / "prefix"};
    all.insert(all.end(), more.begin(), more.end());
    return run_gloss(all, text);
  };
  const auto warned = translate(paragraph + "bada.\n" + paragraph, {});
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_THAT(warned.err, HasSubstr("warning: sentences are lost in 2 lines that look like paragraphs"));
  EXPECT_THAT(warned.err, HasSubstr("(first lines: 1, 3): a line is translated as one sentence"));
  const auto flagged = lines_of(translate(paragraph + "bada.\nBada. Kilo.\n", {"--json-lines"}).out);
  ASSERT_EQ(flagged.size(), 3U);
  EXPECT_THAT(flagged[0], HasSubstr("\"fewer_sentences\""));
  for (const auto i : {1, 2}) EXPECT_THAT(flagged[i], Not(HasSubstr("fewer_sentences")));
}

TEST_F(TranslateTest, NoInputIsNoOutput) {
  const auto outcome = translate("");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, IsEmpty());
}

// The scores tell the lines apart.
TEST_F(TranslateTest, OrderIsThatOfTheInputWhateverIsTranslatedTogether) {
  std::string input;
  for (std::size_t i = 0; i < 40; ++i) input += std::string(1 + i * 7 % 13, "abdeg"[i % 5]) + "\n";
  const auto together = lines_of(translate(input, {"--n-best", "1"}).out);
  const auto alone = lines_of(translate(input, {"--n-best", "1", "--batch-size", "1"}).out);
  ASSERT_EQ(together.size(), 40u);
  ASSERT_EQ(alone.size(), 40u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(score_of(together[i]), score_of(alone[i]), 1e-5);
  EXPECT_GT(std::abs(score_of(alone[0]) - score_of(alone[1])), 1e-3);
}

TEST_F(TranslateTest, NeverWaitsWithResultsInHand) {
  Process process(translating());
  for (const auto* line : {"bada\n", "kilo muna\n", "rato\n"}) {
    process.write(line);
    EXPECT_TRUE(process.read_line().ends_with('\n'));  // comes while our end of the pipe is open
  }
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(TranslateTest, NBestLinesHaveNumberTextAndScoreBestFirst) {
  const auto outcome = translate("bada\n\nkilo\n", {"--beam", "3", "--n-best", "2"});
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5u) << outcome.err;
  for (const auto i : {0, 1, 3, 4}) EXPECT_THAT(lines[i], MatchesRegex("[13] \\|\\|\\| .* \\|\\|\\| -[0-9.]+"));
  EXPECT_EQ(lines[2], "2 |||  ||| 0.000000");
  EXPECT_GE(score_of(lines[0]), score_of(lines[1]));
  EXPECT_GE(score_of(lines[3]), score_of(lines[4]));
}

TEST_F(TranslateTest, DecodingOptionsReachTheSearch) {
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

TEST_F(TranslateTest, ConstraintsReachTheSearch) {
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

TEST_F(TranslateTest, ATranslationBeginsWithItsLineOfThePrefixFile) {
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

TEST_F(TranslateTest, APrefixFileOfAnotherNumberOfLinesIsRefused) {
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

TEST_F(TranslateTest, DrawsAreOfTheSeedAndTheLinesNumber) {
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

TEST_F(TranslateTest, OptionsWithoutEffectAreRefused) {
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

// A model whose run file draws, and never says the unknown word.
TEST_F(TranslateTest, WhatTheRunFileSwitchesOnTheCommandLineSwitchesOff) {
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
  EXPECT_THAT(barred.err, HasSubstr("(decoding.no_unk of the model's run file; --unk lets it be said)"));
  EXPECT_EQ(of_drawing({"--replace-unknown", "--unk"}).exit_code, 0);
  EXPECT_THAT(of_drawing({"--no-sample", "--top-k", "2"}).err,
              HasSubstr("--top-k: has an effect beside --sample only"));
  for (const Arguments& both : {Arguments{"--sample", "--no-sample"}, {"--no-unk", "--unk"}}) {
    const auto outcome = of_drawing(both);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(both[0]), HasSubstr(both[1])));
  }
}

TEST_F(TranslateTest, RefusesMoreResultsThanTheModelsOwnBeamHolds) {
  const auto outcome = translate("bada\n", {"--n-best", "4"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--n-best: wanted a whole number from 1 to decoding.beam_size (3), got 4"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

// A hundred thousand tokens at once are too many for eight megabytes.
/// The search for all lines at once asks for blocks of 22 MB; the results of 3,000 lines need some 8 MiB of the room.
TEST_F(TranslateTest, WhereMemoryRunsOutSmallerPartsAreTranslated) {
  Process process(translating({"--batch-size", "65536"}));
  process.write("bada\n");
  process.read_line();
  rlimit limit{};
  ASSERT_EQ(::prlimit(process.id(), RLIMIT_AS, nullptr, &limit), 0);
  limit.rlim_cur = memory_of(process.id()) + (16 << 20);
  ASSERT_EQ(::prlimit(process.id(), RLIMIT_AS, &limit, nullptr), 0);
  std::string many;
  for (int i = 0; i < 3'000; ++i) many += "bada kilo muna bada kilo muna bada kilo muna\n";
  process.write(many);
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 3'001u);
}

TEST_F(TranslateTest, BrokenUtf8AndNulAreReadWithAWarningThatNamesTheLine) {
  const auto outcome = translate(std::string("ok\nbro\xffken\nnul\0here\n", 20));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(lines_of(outcome.out).size(), 3u);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning: line 2: "), HasSubstr("warning: line 3: "),
                                 Not(HasSubstr("line 1: ")), HasSubstr("U+FFFD")));
}

TEST_F(TranslateTest, ManyBrokenLinesAreCounted) {
  std::string input;
  for (int i = 0; i < 20; ++i) input += "\xff\n";
  const auto outcome = translate(input, {"--max-length", "1"});
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("line 5: "), Not(HasSubstr("line 6: ")), HasSubstr("in all 20 lines")));
}

TEST_F(TranslateTest, ALineOfAMegabyteIsCutWithAWarning) {
  std::string input = "bada\n";
  for (int i = 0; i < 200'000; ++i) input += "bada ";
  const auto outcome = translate(input + "\nkilo\n");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(lines_of(outcome.out).size(), 3u);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning: line 2: is too long"), Not(HasSubstr("line 3"))));
}

TEST_F(TranslateTest, ClosedStdoutEndsQuietly) {
  Process process(translating());
  process.write("bada\n");
  process.read_line();
  process.close_output();
  process.write("kilo\n");
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(TranslateTest, SignalsEndItWithTheirExitCodes) {
  for (const auto& [number, exit_code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    Process process(translating());
    process.write("bada\n");
    process.read_line();
    process.signal(number);
    while (process.running()) process.read_line();  // its input is open still
    EXPECT_EQ(process.wait().exit_code, exit_code);
  }
}

// Of 256 lines that are taken at once in batches of 64.
TEST_F(TranslateTest, ASignalDoesNotWaitForAllLinesInHand) {
  Process process(translating({"--max-length", "500", "--min-length", "500"}));
  process.write("bada\n");
  process.read_line();
  std::string many;
  for (int i = 0; i < 256; ++i) many += "bada kilo muna\n";
  process.write(many);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // within its first batch, mostly
  process.signal(SIGTERM);
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
  EXPECT_TRUE(outcome.out.ends_with('\n'));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(TranslateTest, DamagedModelIsRefused) {
  auto bytes = read_text(model_ + "/model.safetensors");
  bytes[bytes.size() - 2] ^= 1;
  write_text(run_ / "damaged.safetensors", bytes);
  const auto outcome = run_gloss({"translate", "--model", run_ / "damaged.safetensors"}, "bada\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("damaged.safetensors"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

}  // namespace
}  // namespace gloss
