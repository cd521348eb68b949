#include "tests/faults/fault_plan.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gloss::faults {
namespace {

constexpr std::array<std::string_view, 17> kNames = {"open",     "write",   "sync",   "rename", "link",   "close",
                                                     "truncate", "mkdir",   "remove", "socket", "bind",   "listen",
                                                     "accept",   "connect", "option", "send",   "receive"};

/// The error of a network that fails, or of a limit that is reached.
int network_error(Call call) {
  switch (call) {
    case Call::kSocket:
    case Call::kAccept:
      return EMFILE;
    case Call::kBind:
    case Call::kListen:
      return EADDRINUSE;
    case Call::kConnect:
      return ECONNREFUSED;
    case Call::kOption:
      return ENOBUFS;
    default:
      return ECONNRESET;
  }
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

FaultPlan& FaultPlan::get() {
  static FaultPlan& plan = *new FaultPlan();
  return plan;
}

FaultPlan::FaultPlan()
    : folder_(variable("GLOSS_FAULT_FOLDER")),
      calls_(',' + variable("GLOSS_FAULT_CALLS") + ','),
      report_(variable("GLOSS_FAULT_REPORT")),
      kind_(variable("GLOSS_FAULT_KIND")),
      at_(std::atoll(variable("GLOSS_FAULT_AT").c_str())),
      persistent_(variable("GLOSS_FAULT_PERSISTENT") == "1"),
      no_tmpfile_(variable("GLOSS_FAULT_NO_TMPFILE") == "1") {
  const auto process = variable("GLOSS_FAULT_PROCESS"), rank = variable("RANK");
  if (!process.empty() && process != (rank.empty() ? "starter" : rank)) folder_.clear();
}

bool FaultPlan::watches(std::string_view path) const {
  return !folder_.empty() && path.starts_with(folder_) &&
         (path.size() == folder_.size() || path[folder_.size()] == '/');
}

Decision FaultPlan::count(Call call, const std::string& path) {
  const int before = errno;
  const std::string name(kNames.at(static_cast<std::size_t>(call)));
  if (calls_ != ",," && calls_.find(',' + name + ',') == calls_.npos) return {};
  ++counted_;
  Decision decision;
  if (half_written_ && call == Call::kWrite) {
    half_written_ = persistent_;
    decision = {Fault::kFail, ENOSPC};
  } else if (at_ > 0 && (counted_ == at_ || (persistent_ && counted_ > at_))) {
    if (kind_ == "kill") decision.fault = Fault::kKill;
    if (kind_ == "tear") decision.fault = Fault::kTear;
    if (kind_ == "power") decision.fault = Fault::kPower;
    if (kind_ == "SIGTERM") decision = {Fault::kSignal, 0, SIGTERM};
    if (kind_ == "short" && call == Call::kWrite) {
      decision.fault = Fault::kShort;
      half_written_ = true;
    }
    if (kind_.empty() || kind_ == "ENOSPC" || (kind_ == "short" && persistent_ && call != Call::kWrite))
      decision = {Fault::kFail, ENOSPC};
    if (kind_ == "EIO") decision = {Fault::kFail, EIO};
    if (kind_ == "network" || kind_ == "closed") decision = {Fault::kFail, network_error(call)};
    if (kind_ == "closed" && call == Call::kReceive) decision.fault = Fault::kEnd;
    if (kind_ == "closed" && call == Call::kSend) decision = {Fault::kFail, EPIPE};
  }
  if (!report_.empty()) {
    const std::string line =
        std::to_string(counted_) + ' ' + name + ' ' + path + (decision.fault == Fault::kNone ? "" : " fails") + '\n';
    const auto file = ::syscall(SYS_openat, AT_FDCWD, report_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    static_cast<void>(::syscall(SYS_write, file, line.data(), line.size()));
    static_cast<void>(::syscall(SYS_close, file));
  }
  errno = before;
  return decision;
}

}  // namespace gloss::faults
