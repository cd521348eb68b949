#include "tests/support/terminal.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "app/input/line_editor.h"
#include "common/text/terminal_text.h"
#include "tests/app/support/small_run.h"
#include "tests/app/support/terminal_process.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Not;

/// An untrained model at a pseudo-terminal. With --n-best a line is shown with its score, by which lines differ.
class TerminalTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto terminal = open_terminal();
    if (!terminal) GTEST_SKIP() << "there are no pseudo-terminals here";
    for (const int end : {terminal->inside, terminal->outside}) ::close(end);
  }
  Arguments translating(const Arguments& more = {}) const {
    Arguments arguments = {"translate", "--model", model_, "--device", "cpu", "--threads", "1", "--n-best", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// The text printed for `line` if its number is `number`.
  std::string translated(char number, const std::string& line) const {
    auto text = lines_of(run_gloss(translating(), line + '\n').out).at(0);
    text.at(0) = number;
    return text;
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

class LineEditingTest : public TerminalTest {
 protected:
  void SetUp() override {
    TerminalTest::SetUp();
    if (!has_line_editing()) GTEST_SKIP() << "built without libedit";
  }
};

TEST_F(LineEditingTest, LinesAreEditedAndCalledBack) {
  TerminalProcess gloss(translating());
  gloss.wait_for("Ctrl-D ends");
  gloss.wait_for("> ");
  gloss.wait_for_editing();
  gloss.type(
      "badx\x7f"
      "a\x1b[H\x1b[3~\x1b[3~ba\r");  // rub out, go to the beginning, delete two letters
  gloss.wait_for(translated('1', "bada"));
  gloss.type("kilo\r");
  gloss.wait_for(translated('2', "kilo"));
  gloss.type("\x1b[A\x1b[A\r");
  gloss.wait_for(translated('3', "bada"));
  gloss.type("\x04");
  EXPECT_EQ(gloss.wait(), 0) << gloss.shown();
}

TEST_F(LineEditingTest, UnicodeIsTypedAndShownWhateverTheLocale) {
  for (const auto* locale : {"C", "C.UTF-8"}) {
    TerminalProcess gloss(translating(), {.environment = {{"LC_ALL", locale}}});
    gloss.wait_for("> ");
    gloss.wait_for_editing();
    gloss.type("b\u00e4d\u4f60\u00df\x7f\r");
    EXPECT_THAT(gloss.wait_for(translated('1', "b\u00e4d\u4f60")), HasSubstr("b\u00e4d\u4f60")) << locale;
    gloss.type("\x04");
    EXPECT_EQ(gloss.wait(), 0) << gloss.shown();
  }
}

TEST_F(LineEditingTest, CtrlCEndsWith130AndLeavesTheTerminalAsItWas) {
  TerminalProcess gloss(translating());
  gloss.wait_for("> ");
  gloss.wait_for_editing();
  gloss.type("bad");
  gloss.wait_for("bad");
  gloss.type("\x03");
  EXPECT_EQ(gloss.wait(), 130) << gloss.shown();
  EXPECT_TRUE(gloss.shown().ends_with('\n'));
}

// Typed while the model is loaded, before libedit has taken over the terminal.
TEST_F(LineEditingTest, CtrlDTypedAheadEndsTheInput) {
  TerminalProcess gloss(translating());
  gloss.type("bada\n\x04");
  EXPECT_EQ(gloss.wait(), 0) << gloss.shown();
  EXPECT_THAT(gloss.shown(), HasSubstr(translated('1', "bada")));
}

TEST_F(TerminalTest, ADumbTerminalHasNoLineEditing) {
  TerminalProcess gloss(translating(), {.environment = {{"TERM", "dumb"}}});
  gloss.wait_for("Ctrl-D ends");
  gloss.type("bada\n");
  gloss.wait_for(translated('1', "bada"));
  EXPECT_THAT(gloss.shown(), Not(HasSubstr("> ")));
  gloss.type("\x04");
  EXPECT_EQ(gloss.wait(), 0) << gloss.shown();
}

TEST_F(TerminalTest, ProgressIsShownOfAFileUnlessResultsOrQuietForbidIt) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "bada kilo\n";
  write_text(run_ / "text", text);
  const auto shown = [&](const Arguments& more, const TerminalStreams& streams) {
    TerminalProcess gloss(translating(more), streams);
    EXPECT_EQ(gloss.wait(), 0) << gloss.shown();
    return gloss.shown();
  };
  const std::string input = run_ / "text", output = run_ / "translations";
  EXPECT_THAT(shown({"--batch-size", "1"}, {.input = input, .output = output}), HasSubstr("0 %  translating"));
  EXPECT_EQ(lines_of(read_text(output)).size(), 40U);
  EXPECT_THAT(shown({"--input", input, "--output", output}, {}), HasSubstr("translating"));
  EXPECT_EQ(shown({"--quiet"}, {.input = input, .output = output}),
            "warning: the length limit cuts translations in 40 lines (first lines: 1, 2, 3,\r\n  4, 5): raise "
            "--max-length or --max-length-factor, unless they repeat\r\n  themselves\r\n");
  EXPECT_THAT(shown({}, {.input = input}), Not(HasSubstr("translating")));  // results are shown there
}

TEST_F(TerminalTest, SeveralProcessesPrintWhereOutputOfTheBackgroundIsStopped) {
  TerminalProcess training(run_.training("run", {"--processes", "2", "--set", "training.max_steps=1"}),
                           {.stops_background = true});
  const auto code = training.wait();
  if (training.shown().find("without Gloo") != std::string::npos) GTEST_SKIP() << training.shown();
  EXPECT_EQ(code, 0) << training.shown();
}

TEST_F(TerminalTest, SamplesOfATrainingFitTheTerminal) {
  const auto training = [&](const std::string& out, const Arguments& more) {
    Arguments all = {"--set", "training.max_steps=2", "--set", "training.validate_every=1"};
    all.insert(all.end(), more.begin(), more.end());
    TerminalProcess gloss(run_.training(out, all), {.columns = 30});
    EXPECT_EQ(gloss.wait(), 0) << gloss.shown();
    return gloss.shown();
  };
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const auto shown = training("one", {});
  EXPECT_EQ(count(shown, "  source       "), 2U) << shown;  // of each validation one, and none again at the end
  std::string longest;
  for (const auto& line : lines_of(shown))
    if (const auto at = line.find("  line "); at != line.npos)
      longest = std::max(longest, line.substr(at), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  EXPECT_LE(columns_of(longest), 31U) << longest;  // and the carriage return
  EXPECT_THAT(longest, HasSubstr("..."));
  EXPECT_THAT(shown, HasSubstr("0 %  translating"));
  EXPECT_EQ(count(training("three", {"--samples", "3"}), "  source       "), 6U);
  EXPECT_EQ(count(training("none", {"--samples", "0"}), "  source       "), 0U);
  EXPECT_EQ(count(read_text(run_ / "none/log.jsonl"), "\"source\""), 9U);  // three of each event all the same
}

}  // namespace
}  // namespace gloss
