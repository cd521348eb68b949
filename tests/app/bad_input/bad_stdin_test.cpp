#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/text/utf8.h"
#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"
#include "tests/support/sanitizers.h"
#include "tests/support/terminal.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class BadStdinTest : public testing::Test {
 protected:
  Arguments translating(const Arguments& more = {}) const {
    Arguments arguments = {"translate", "--model", model_, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// The lines that come for `input`.
  std::vector<std::string> expect_lines(const std::string& what, const std::string& input, const std::string& message) {
    const auto outcome = expect_outcome({what, translating(), 0, message, input, /*is_cut=*/true}, run_ / "");
    EXPECT_TRUE(is_utf8(outcome.out)) << what;
    return lines_of(outcome.out);
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

TEST_F(BadStdinTest, IsOneLineOutForEachLineIn) {
  const auto good = expect_lines("a good line", "bada kilo\n", "");
  ASSERT_EQ(good.size(), 1u);
  const auto bada = good.front();
  EXPECT_NE(bada, "");
  EXPECT_EQ(expect_lines("25 no line end at the end", "bada kilo", ""), good);
  EXPECT_THAT(expect_lines("26 nothing", "", ""), ElementsAre());
  EXPECT_THAT(expect_lines("27 an empty line", "\nbada kilo\n\n", ""), ElementsAre("", bada, ""));
  EXPECT_THAT(expect_lines("28 spaces only", "   \n \t \nbada kilo\n", ""), ElementsAre("", "", bada));
  EXPECT_EQ(expect_lines("33 CRLF", "bada kilo\r\nbada kilo\r\n", ""), std::vector(2, bada));
  EXPECT_EQ(expect_lines(
                "34 a script that training never saw", "\u6f22\u5b57 \u03a9\u043c\u0435\U0001f600\n",
                "^warning: there are characters that the model does not know in 1 line \\(first lines: 1\\): [^\n]*\n$")
                .size(),
            1u);
  const auto megabyte = std::string(1 << 20, 'a') + "\n";
  EXPECT_EQ(expect_lines("29 a line of a megabyte", "bada kilo\n" + megabyte + "bada kilo",
                         "^warning: line 2: is too long; only its beginning is translated\n$")
                .size(),
            3u);
  EXPECT_EQ(
      expect_lines("29 a line beyond the limit of the training", std::string(64, 'a'), "line 1: is too long").size(),
      1u);
  for (const auto& broken : {"ba\xff"s, "\xc0\xaf"s, "\xed\xa0\x80"s, "\xf4\x90\x80\x80"s})
    EXPECT_EQ(expect_lines("30 invalid UTF-8", "bada kilo\n" + broken, "^warning: line 2: is not valid UTF-8").size(),
              2u);
  EXPECT_EQ(expect_lines("31 NUL", "\0\nba\0da"s, "^warning: line 1: .*\nwarning: line 2: ").size(), 2u);
  EXPECT_EQ(expect_lines("32 control characters", "\x1b[31mred\x07\xff\n", "^warning: line 1: ").size(), 1u);
}

TEST_F(BadStdinTest, ControlCharactersAreNotEchoed) {
  ASSERT_EQ(run_gloss({"tokenizer", "train", "--input", run_.corpus("train.source"), "--vocabulary-size", "40",
                       "--type", "char", "--output", run_ / "t.model"})
                .exit_code,
            0);
  expect_outcome({"32 in a message",
                  {"tokenizer", "decode", "--model", run_ / "t.model"},
                  3,
                  "line 1: .*got \\\\x1b\\[31m",
                  "\x1b[31m\n"},
                 run_ / "");
}

TEST_F(BadStdinTest, AnyBytesBecomeUtf8LineByLine) {
  std::mt19937 random(7);
  std::string input;
  for (int i = 0; i < 20'000; ++i)
    input += static_cast<char>(random() % 8 == 0 ? "\n\r\0 \t\xef\xbb\xbf"[random() % 8] : random());
  input += '\n';
  for (const Arguments& more : {Arguments{"--beam", "1"}, Arguments{"--n-best", "1"}}) {
    const auto outcome = run_gloss(translating(more), input);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(is_utf8(outcome.out));
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), std::ranges::count(input, '\n'));
  }
}

// 35 a million lines: ten times as many take no more memory.
TEST_F(BadStdinTest, MemoryDoesNotGrowWithTheInput) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  const auto peak_for = [&](int lines) {
    const auto line = "bada" + std::string(1'000, ' ') + "kilo\n";
    Process process(translating({"--beam", "1", "--max-length", "1"}));
    for (int i = 0; i < lines; ++i) process.write(line);
    const auto outcome = process.wait();
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), lines);
    return outcome.peak_kib;
  };
  const auto few = peak_for(4'000), many = peak_for(40'000);
  EXPECT_LT(many, few + (10 << 10)) << "KiB";
}

TEST_F(BadStdinTest, ATerminalIsToldWhatToDo) {
  const auto terminal = open_terminal();
  if (!terminal) GTEST_SKIP() << "there are no pseudo-terminals here";
  for (const int end : {terminal->inside, terminal->outside}) ::close(end);
  Process process(translating(), {.terminal_in = true});
  process.write("bada kilo\n");
  EXPECT_TRUE(process.read_line().ends_with('\n'));
  process.write("\x04");
  while (process.running()) process.read_line();
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("type a sentence"));  // 36
}

// 37: a model that nobody trained never says eos of itself.
TEST_F(BadStdinTest, ATranslationThatDoesNotEndIsEnded) {
  const auto size = [&](const char* most) {
    return count_code_points(run_gloss(translating({"--beam", "1", "--max-length", most}), "bada kilo\n").out);
  };
  EXPECT_LE(size("10"), 10 * 3 + 1);  // an unknown piece is three characters
  EXPECT_LT(size("10"), size("500"));
}

}  // namespace
}  // namespace gloss
