#include "common/log/log.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <future>
#include <sstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/terminal.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::ThrowsMessage;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { set_up_log({}); }
  TemporaryFolder folder_;
};

TEST_F(LogTest, QuietSuppressesInfoButNotWarnings) {
  set_up_log({});
  CaptureStderr();
  log_info("step 1\x1b[0m\n" + std::string(300, 'x'));
  log_warning("line 3 is empty");
  log_error("line 4 is lost");
  EXPECT_EQ(GetCapturedStderr(),
            "step 1\\x1b[0m\\n" + std::string(300, 'x') + "\nwarning: line 3 is empty\nerror: line 4 is lost\n");

  set_up_log({.quiet = true, .json_file = std::nullopt, .process = {}});
  CaptureStderr();
  log_info("step 2");
  log_warning("line 4 is empty");
  log_error("line 5 is lost");
  EXPECT_EQ(GetCapturedStderr(), "warning: line 4 is empty\nerror: line 5 is lost\n");
}

// Redirects stderr to `terminal` while it lives.
class TerminalStderr {
 public:
  explicit TerminalStderr(const Terminal& terminal) : stderr_(::dup(STDERR_FILENO)), terminal_(terminal) {
    const winsize size{.ws_row = 24, .ws_col = 20, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(terminal_.inside, TIOCSWINSZ, &size);
    ::dup2(terminal_.inside, STDERR_FILENO);
  }
  ~TerminalStderr() {
    ::dup2(stderr_, STDERR_FILENO);
    for (const int descriptor : {stderr_, terminal_.inside, terminal_.outside}) ::close(descriptor);
  }

  /// All that was written since the last call. The terminal may hand it over in several parts: an end mark follows it.
  std::string shown() const {
    constexpr char kEnd = '\x04';
    if (::write(terminal_.inside, &kEnd, 1) != 1) return "the terminal takes nothing";
    std::string text;
    for (char next{}; ::read(terminal_.outside, &next, 1) == 1 && next != kEnd;) text += next;
    return text;
  }

 private:
  int stderr_;
  Terminal terminal_;
};

TEST_F(LogTest, LogLinesReplaceTheProgressLine) {
  const auto ends = open_terminal();
  if (!ends) GTEST_SKIP() << "there are no pseudo-terminals here";
  const TerminalStderr terminal(*ends);
  ::setenv("TERM", "xterm", 1);
  set_up_log({});
  const auto begin = std::chrono::steady_clock::now();
  log_progress("[###...] step 3 of 6 and more");
  log_progress("too soon after it");
  const auto shown = terminal.shown();
  // A busy machine may stop this thread for longer than a line is kept.
  if (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100)) {
    EXPECT_EQ(shown, "\r\x1b[K[###...] step 3 of ");
  }
  log_info("saved");
  EXPECT_EQ(terminal.shown(), "\r\x1b[Ksaved\r\n");
  log_progress("step 4");
  log_progress("");
  log_progress("");
  log_info("done");
  EXPECT_EQ(terminal.shown(), "\r\x1b[Kstep 4\r\x1b[Kdone\r\n");
}

TEST_F(LogTest, ProgressNeedsATerminalAndIsHiddenIfQuiet) {
  CaptureStderr();
  set_up_log({});
  log_progress("step 3");
  EXPECT_EQ(GetCapturedStderr(), "");
  const auto ends = open_terminal();
  if (!ends) GTEST_SKIP() << "there are no pseudo-terminals here";
  const TerminalStderr terminal(*ends);
  ::setenv("TERM", "xterm", 1);
  set_up_log({.quiet = true, .json_file = std::nullopt, .process = {}});
  log_progress("step 3");
  ::setenv("TERM", "dumb", 1);
  set_up_log({});
  log_progress("step 3");
  log_warning("seen");
  EXPECT_EQ(terminal.shown(), "warning: seen\r\n");
}

TEST_F(LogTest, EventsAreAppendedAsJsonLines) {
  write_file(folder_ / "log.jsonl", "{\"event\":\"older\"}\n");
  set_up_log({.quiet = false, .json_file = folder_ / "log.jsonl", .process = {}});
  log_event("update", {{"step", 3}, {"loss", 0.5}, {"text", "a\nb"}});
  log_warning("line 3 is empty");
  log_event("end", {});

  std::istringstream lines(read_file(folder_ / "log.jsonl", 1'000));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "{\"event\":\"older\"}");
  std::getline(lines, line);
  const auto update = parse_json(line);
  EXPECT_EQ(update["event"], "update");
  EXPECT_EQ(update["step"], 3);
  EXPECT_EQ(update["text"], "a\nb");
  EXPECT_TRUE(update["time"].is_number_float());
  EXPECT_GT(update["time"], 1.7e9);
  std::getline(lines, line);
  EXPECT_EQ(parse_json(line)["event"], "warning");
  EXPECT_EQ(parse_json(line)["message"], "line 3 is empty");
  std::getline(lines, line);
  EXPECT_EQ(parse_json(line)["event"], "end");
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(LogTest, LinesOfSeveralThreadsDoNotMix) {
  set_up_log({.quiet = true, .json_file = folder_ / "log.jsonl", .process = {}});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < 200; ++i) log_event("x", {{"thread", t}, {"text", std::string(500, 'x')}});
      });
    }
  }
  std::istringstream lines(read_file(folder_ / "log.jsonl", 10'000'000));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) ASSERT_NO_THROW(parse_json(line)) << line;
  EXPECT_EQ(count, 800);
}

TEST_F(LogTest, TheProcessIsKnownWhileALineWaitsForItsReader) {
  set_up_log({.quiet = false, .json_file = std::nullopt, .process = "process 1: "});
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_NONBLOCK), 0);
  while (::write(pipe[1], "full", 4) > 0) continue;
  CaptureStderr();
  const int captured = ::dup(STDERR_FILENO);
  ::dup2(pipe[1], STDERR_FILENO);
  auto line = std::async(std::launch::async, [] { log_info("a line"); });
  EXPECT_EQ(line.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  auto process = std::async(std::launch::async, log_process);
  EXPECT_EQ(process.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  ::dup2(captured, STDERR_FILENO);
  line.wait();
  EXPECT_EQ(process.get(), "process 1: ");
  EXPECT_EQ(GetCapturedStderr(), "process 1: a line\n");
  for (const int descriptor : {pipe[0], pipe[1], captured}) ::close(descriptor);
}

TEST_F(LogTest, UnopenableFileIsAnError) {
  EXPECT_THAT([&] { set_up_log({.quiet = false, .json_file = folder_ / "absent" / "log.jsonl", .process = {}}); },
              ThrowsMessage<IoError>(HasSubstr("absent/log.jsonl: cannot open: No such file")));
}

TEST_F(LogTest, UnreadPipeIsReportedOnceAndAtTheEnd) {
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  set_up_log({.quiet = true, .json_file = pipe, .process = {}});
  CaptureStderr();
  for (int i = 0; i < 1000; ++i) log_event("update", {{"text", std::string(200, 'x')}});
  finish_log();
  EXPECT_THAT(
      GetCapturedStderr(),
      MatchesRegex("warning: .*pipe: the pipe is full and no process reads it; events are dropped until one does\n"
                   "warning: .*pipe: [0-9]+ events were dropped\n"));
}

TEST_F(LogTest, FullDiskEndsTheLogWithOneWarning) {
  set_up_log({.quiet = false, .json_file = "/dev/full", .process = {}});
  CaptureStderr();
  log_event("update", {});
  log_event("update", {});
  EXPECT_EQ(GetCapturedStderr(), "warning: /dev/full: cannot write; the log ends here\n");
}

}  // namespace
}  // namespace gloss
