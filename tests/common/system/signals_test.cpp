#include "common/system/signals.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gloss {
namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

TEST(StopOnSignalTest, FirstSignalIsRecorded) {
  for (const auto& [signal, code] :
       {std::pair(SIGINT, ExitCode::kInterrupted), {SIGTERM, ExitCode::kTerminated}, {SIGHUP, ExitCode::kTerminated}}) {
    const StopOnSignal guard;
    EXPECT_EQ(stop_requested(), std::nullopt);
    ::raise(signal);
    EXPECT_EQ(stop_requested(), code);
  }
}

TEST(StopOnSignalDeathTest, SecondSignalEndsTheProcessAtOnce) {
  const auto twice = [](int first, int second) {
    const StopOnSignal guard;
    ::raise(first);
    ::raise(second);
    std::_Exit(0);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), ExitedWithCode(130), "");
  EXPECT_EXIT(twice(SIGINT, SIGTERM), ExitedWithCode(143), "");
  EXPECT_EXIT(twice(SIGHUP, SIGHUP), ExitedWithCode(143), "");
}

TEST(StopOnSignalDeathTest, DestructorRestoresTheFormerEffect) {
  const auto after = [] {
    { const StopOnSignal guard; }
    ::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(after(), KilledBySignal(SIGTERM), "");
}

TEST(EndOnSignalDeathTest, FirstSignalEndsTheProcessAtOnce) {
  const auto once = [](int signal) {
    end_on_signal();
    ::raise(signal);
    std::_Exit(0);
  };
  EXPECT_EXIT(once(SIGINT), ExitedWithCode(130), "");
  EXPECT_EXIT(once(SIGTERM), ExitedWithCode(143), "");
  EXPECT_EXIT(once(SIGHUP), ExitedWithCode(143), "");
}

TEST(EndOnSignalDeathTest, SignalIsRecordedDuringStopOnSignalAndEndsTheProcessAfterwards) {
  const auto noted = [](bool afterwards) {
    end_on_signal();
    {
      const StopOnSignal guard;
      if (!afterwards) ::raise(SIGTERM);
    }
    if (afterwards) ::raise(SIGTERM);
    std::_Exit(stop_requested() == ExitCode::kTerminated ? 0 : 1);
  };
  EXPECT_EXIT(noted(false), ExitedWithCode(0), "");
  EXPECT_EXIT(noted(true), ExitedWithCode(143), "");
}

TEST(EndOnSignalDeathTest, SignalIgnoredByTheParentStaysIgnored) {
  const auto ignored = [] {
    ::signal(SIGINT, SIG_IGN);
    end_on_signal();
    ::raise(SIGINT);
    std::_Exit(0);
  };
  EXPECT_EXIT(ignored(), ExitedWithCode(0), "");
}

// A loop that does not check for signals.
[[noreturn]] void wait_for_ever() {
  while (true) ::pause();
}

TEST(StopOnSignalDeathTest, TimeLimitEndsTheProcess) {
  const auto stay = [](int signal) {
    const StopOnSignal guard(1);
    ::raise(signal);
    wait_for_ever();
  };
  EXPECT_EXIT(stay(SIGINT), ExitedWithCode(130), "");
  EXPECT_EXIT(stay(SIGHUP), ExitedWithCode(143), "");
}

TEST(StopOnSignalDeathTest, StoppingInTimeCancelsTheLimit) {
  const auto stop = [] {
    {
      const StopOnSignal guard(1);
      ::raise(SIGINT);
    }
    ::sleep(2);
    std::_Exit(0);
  };
  EXPECT_EXIT(stop(), ExitedWithCode(0), "");
}

TEST(StopOnSignalDeathTest, OtherAlarmsKeepTheirEffect) {
  const auto alarmed = [] {
    const StopOnSignal guard(1);
    ::raise(SIGALRM);
    wait_for_ever();
  };
  EXPECT_EXIT(alarmed(), KilledBySignal(SIGALRM), "");
}

TEST(StopOnSignalTest, SignalIgnoredByTheParentStaysIgnored) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = ::signal(signal, SIG_IGN);
    {
      const StopOnSignal guard;
      ::raise(signal);
      EXPECT_EQ(stop_requested(), std::nullopt);
    }
    EXPECT_EQ(::signal(signal, before), SIG_IGN);
  }
}

// Returns the number of the system call that the process waits in, from /proc/<process>/syscall, or "running".
bool waits_in_read(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/syscall");
  long call = -1;
  return file >> call && call == SYS_read;
}

TEST(StopOnSignalTest, WaitingReadIsInterrupted) {
  if (!std::ifstream("/proc/self/syscall")) GTEST_SKIP() << "this kernel does not say what a process waits in";
  std::array<int, 2> silent{};
  ASSERT_EQ(::pipe(silent.data()), 0);
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);  // ends a read that was restarted
    const StopOnSignal guard;
    char byte = 0;
    const bool good = ::read(silent[0], &byte, 1) == -1 && errno == EINTR;
    std::_Exit(good && stop_requested() == ExitCode::kTerminated ? 0 : 1);
  }
  while (!waits_in_read(child) && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(1'000);
  ::kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (const int descriptor : silent) ::close(descriptor);
}

TEST(RequestStopTest, CountsAsASignalUnlessOneHasArrived) {
  const StopOnSignal guard;
  request_stop(ExitCode::kInterrupted);
  EXPECT_EQ(stop_requested(), ExitCode::kInterrupted);
  request_stop(ExitCode::kTerminated);
  EXPECT_EQ(stop_requested(), ExitCode::kInterrupted);
}

TEST(RequestStopDeathTest, TheSignalThatFollowsIsTheFirst) {
  const auto signals_after_request = [](int count) {
    const StopOnSignal guard;
    request_stop(ExitCode::kInterrupted);
    for (int i = 0; i < count; ++i) ::raise(SIGTERM);
    std::_Exit(stop_requested() == ExitCode::kInterrupted ? 0 : 1);
  };
  EXPECT_EXIT(signals_after_request(1), ExitedWithCode(0), "");
  EXPECT_EXIT(signals_after_request(2), ExitedWithCode(143), "");
}

TEST(RequestStopTest, TheNextGuardClearsIt) {
  {
    const StopOnSignal guard;
    request_stop(ExitCode::kTerminated);
  }
  const StopOnSignal guard;
  EXPECT_EQ(stop_requested(), std::nullopt);
}

TEST(PassedSignalDeathTest, AfterAnotherOneItIsIgnoredAndOthersAreNot) {
  const auto twice = [](bool passed) {
    const StopOnSignal guard;
    expect_passed_signals(passed ? ::getpid() : ::getppid());
    ::raise(SIGTERM);
    ::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(twice(true), ExitedWithCode(0), "");
  EXPECT_EXIT(twice(false), ExitedWithCode(143), "");
}

TEST(LetWritesFailDeathTest, ClosedPipeIsAWriteError) {
  const auto write_to_closed = [](bool ignore) {
    if (ignore) let_writes_fail();
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::_Exit(2);
    ::close(ends[0]);
    std::_Exit(::write(ends[1], "x", 1) == -1 && errno == EPIPE ? 0 : 1);
  };
  EXPECT_EXIT(write_to_closed(true), ExitedWithCode(0), "");
  EXPECT_EXIT(write_to_closed(false), KilledBySignal(SIGPIPE), "");
}

TEST(LetWritesFailDeathTest, FileSizeLimitIsAWriteError) {
  const auto write_beyond = [](bool ignore) {
    if (ignore) let_writes_fail();
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_FSIZE, &none) != 0) std::_Exit(2);
    std::FILE* const file = std::tmpfile();
    std::_Exit(::write(::fileno(file), "x", 1) == -1 && errno == EFBIG ? 0 : 1);
  };
  EXPECT_EXIT(write_beyond(true), ExitedWithCode(0), "");
  EXPECT_EXIT(write_beyond(false), KilledBySignal(SIGXFSZ), "");
}

}  // namespace
}  // namespace gloss
