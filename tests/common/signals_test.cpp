#include "common/signals.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gloss {
namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

TEST(StopOnSignalTest, TheFirstSignalIsOnlyNoted) {
  for (const auto& [signal, code] : {std::pair(SIGINT, ExitCode::kInterrupted), {SIGTERM, ExitCode::kTerminated}}) {
    const StopOnSignal guard;
    EXPECT_EQ(stop_requested(), std::nullopt);
    ::raise(signal);
    EXPECT_EQ(stop_requested(), code);
  }
}

TEST(StopOnSignalDeathTest, TheSecondSignalEndsTheProcessAtOnce) {
  const auto twice = [](int first, int second) {
    const StopOnSignal guard;
    ::raise(first);
    ::raise(second);
    std::_Exit(0);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), ExitedWithCode(130), "");
  EXPECT_EXIT(twice(SIGINT, SIGTERM), ExitedWithCode(143), "");
}

TEST(StopOnSignalDeathTest, AfterwardsASignalKillsAsBefore) {
  const auto after = [] {
    { const StopOnSignal guard; }
    ::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(after(), KilledBySignal(SIGTERM), "");
}

TEST(StopOnSignalTest, ASignalThatTheParentIgnoresStaysIgnored) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto before = ::signal(signal, SIG_IGN);
    {
      const StopOnSignal guard;
      ::raise(signal);
      EXPECT_EQ(stop_requested(), std::nullopt);
    }
    EXPECT_EQ(::signal(signal, before), SIG_IGN);
  }
}

// The state letter of /proc/<process>/stat, which follows the name in parentheses.
char process_state(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto end = text.rfind(") ");
  return end == text.npos ? '?' : text[end + 2];
}

TEST(StopOnSignalTest, AReadThatWaitsIsInterrupted) {
  std::array<int, 2> ready{}, silent{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  ASSERT_EQ(::pipe(silent.data()), 0);
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);  // ends a read that was taken up again
    const StopOnSignal guard;
    char byte = 0;
    bool good = ::write(ready[1], &byte, 1) == 1;
    good = good && ::read(silent[0], &byte, 1) == -1 && errno == EINTR && stop_requested() == ExitCode::kTerminated;
    std::_Exit(good ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  while (process_state(child) == 'R') ::usleep(1'000);
  ::kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (const int descriptor : {ready[0], ready[1], silent[0], silent[1]}) ::close(descriptor);
}

TEST(IgnoreBrokenPipeDeathTest, AClosedPipeIsAnErrorOfTheWrite) {
  const auto write_to_closed = [](bool ignore) {
    if (ignore) ignore_broken_pipe();
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::_Exit(2);
    ::close(ends[0]);
    std::_Exit(::write(ends[1], "x", 1) == -1 && errno == EPIPE ? 0 : 1);
  };
  EXPECT_EXIT(write_to_closed(true), ExitedWithCode(0), "");
  EXPECT_EXIT(write_to_closed(false), KilledBySignal(SIGPIPE), "");
}

}  // namespace
}  // namespace gloss
