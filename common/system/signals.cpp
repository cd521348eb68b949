#include "common/system/signals.h"

#include <array>
#include <atomic>
#include <cstddef>

#include <signal.h>
#include <unistd.h>

namespace gloss {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// The signal may interrupt any thread.
std::atomic<int> received = 0;
std::atomic<int> requested = 0;          // by request_stop; the first signal after it is only recorded, too
std::atomic<bool> defer_first = false;   // effect of the first signal: recorded, or (false) it ends the process
std::atomic<int> passing = 0;            // the process that passes signals on; 0: none
std::atomic<unsigned> seconds_left = 0;  // time limit after the first signal; 0: none
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free);
std::array<struct sigaction, kSignals.size()> previous;
struct sigaction previous_alarm;

ExitCode exit_code(int signal) { return signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated; }

// The handlers call only async-signal-safe functions: atomic operations, alarm, _exit, signal and raise.
extern "C" void handle_signal(int signal, siginfo_t* info, void*) {
  if (received != 0 && passing != 0 && info->si_pid == passing) return;
  if (received.exchange(signal) != 0 || !defer_first) ::_exit(static_cast<int>(exit_code(signal)));
  if (const unsigned seconds = seconds_left; seconds > 0) ::alarm(seconds);
}

extern "C" void end_after_alarm(int alarm, siginfo_t*, void*) {
  if (const int signal = received; signal != 0) ::_exit(static_cast<int>(exit_code(signal)));
  ::signal(alarm, SIG_DFL);  // an alarm set by the program that started this one
  ::raise(alarm);
}

// No SA_RESTART: a waiting read returns with EINTR, so that the loop checks for the signal.
struct sigaction action_of(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  return action;
}

void catch_unless_ignored(int signal) {
  const auto action = action_of(handle_signal);
  struct sigaction before {};
  if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

}  // namespace

void end_on_signal() {
  for (const int signal : kSignals) catch_unless_ignored(signal);
}

StopOnSignal::StopOnSignal(unsigned seconds) {
  received = requested = 0;
  defer_first = true;
  seconds_left = seconds;
  const auto on_alarm = action_of(end_after_alarm);
  ::sigaction(SIGALRM, seconds > 0 ? &on_alarm : nullptr, &previous_alarm);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &previous[i]);
    catch_unless_ignored(kSignals[i]);
  }
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &previous[i], nullptr);
  if (seconds_left > 0) {
    if (received != 0) ::alarm(0);
    ::sigaction(SIGALRM, &previous_alarm, nullptr);
  }
  seconds_left = 0;
  defer_first = false;
}

std::optional<ExitCode> stop_requested() {
  const int first = requested, signal = first != 0 ? first : received.load();
  if (signal == 0) return std::nullopt;
  return exit_code(signal);
}

void request_stop(ExitCode code) {
  if (!stop_requested()) requested = code == ExitCode::kInterrupted ? SIGINT : SIGTERM;
}

void expect_passed_signals(int starter) { passing = starter; }

void let_writes_fail() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

}  // namespace gloss
