#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/app/support/untrained_translator.h"
#include "tests/support/sanitizers.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Bytes of address space that a process has.
rlim_t memory_of(pid_t process) {
  rlim_t pages = 0;
  std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

using TranslateTest = UntrainedTranslator;

TEST_F(TranslateTest, OneLineOutForEachLineInAndEmptyForEmpty) {
  const auto outcome = translate("bada\n\n   \nkilo muna\nlast without an end");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(without_cut_warning(outcome.err),
            "warning: there are characters that the model does not know in 1 line (first lines: 5): --replace-unknown "
            "copies them into translations, --no-unk leaves them out\n");
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "");
  EXPECT_TRUE(outcome.out.ends_with('\n'));
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
  EXPECT_THAT(warned.err, HasSubstr("warning: sentences are lost in 2 lines (first lines: 1, 3): "));
  EXPECT_THAT(warned.err, HasSubstr("a line is translated as one sentence"));
  const auto flagged = lines_of(translate(paragraph + "bada.\nBada. Kilo.\n", {"--json-lines"}).out);
  ASSERT_EQ(flagged.size(), 3U);
  EXPECT_THAT(flagged[0], HasSubstr("\"fewer_sentences\""));
  EXPECT_THAT(flagged[1], Not(HasSubstr("fewer_sentences")));
  EXPECT_THAT(flagged[2], HasSubstr("\"fewer_sentences\"")) << "one of two sentences";
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

// A hundred thousand tokens at once are too many for eight megabytes.
/// The search for all lines at once asks for blocks of 22 MB; the results of 3,000 lines need some 8 MiB of the room.
TEST_F(TranslateTest, WhereMemoryRunsOutSmallerPartsAreTranslated) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
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
  process.wait_until_read();
  process.signal(SIGTERM);
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
  EXPECT_TRUE(outcome.out.ends_with('\n'));
  EXPECT_THAT(without_cut_warning(outcome.err), IsEmpty());
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
