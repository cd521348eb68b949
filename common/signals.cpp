#include "common/signals.h"

#include <array>
#include <atomic>
#include <cstddef>

#include <signal.h>
#include <unistd.h>

namespace gloss {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// Any thread may be the one that the signal interrupts.
std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free);
std::array<struct sigaction, kSignals.size()> previous;

ExitCode exit_code(int signal) { return signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated; }

// Only what is safe in a signal handler: an atomic exchange and _exit.
extern "C" void note_signal(int signal) {
  if (noted.exchange(signal) != 0) ::_exit(static_cast<int>(exit_code(signal)));
}

}  // namespace

StopOnSignal::StopOnSignal() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // no SA_RESTART: a read that waits returns with EINTR, so that the loop sees the signal
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &previous[i]);
    if (previous[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &previous[i], nullptr);
}

std::optional<ExitCode> stop_requested() {
  const int signal = noted;
  if (signal == 0) return std::nullopt;
  return exit_code(signal);
}

void let_writes_fail() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

}  // namespace gloss
