#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {

/// A fault in a run; the values are those of tests/faults/fault_plan.h.
struct FaultSetting {
  std::string kind = "";  ///< ENOSPC, EIO, short, kill, tear, power or SIGTERM; of sockets: network or closed
  std::int64_t at = 0;
  bool persistent = false;
  bool no_tmpfile = false;
  bool sockets = false;      ///< the calls are those on sockets instead of files
  std::string process = "";  ///< whose calls are counted: its number, or "starter"; empty: of every process

  std::string text() const;
};

/// A call below the run's folder, as the shim reports it.
struct CountedCall {
  std::string name, path;
  bool fails = false;
};
std::vector<CountedCall> read_calls(const std::filesystem::path& report);

/// The environment of the processes that are started while it lives: the shim, looking at what is below `folder`.
class FaultEnvironment {
 public:
  FaultEnvironment(const FaultSetting& setting, const std::string& folder, const std::string& report);
  ~FaultEnvironment();
  FaultEnvironment(const FaultEnvironment&) = delete;
  FaultEnvironment& operator=(const FaultEnvironment&) = delete;
};

/// A training of a fraction of a second, with all that a resumed run has to restore, and what becomes of it where a
/// call fails: nothing is lost, and the user is told.
class FaultyRun {
 public:
  /// Makes the unbroken run. `settings` are further KEY=VALUE of the run file. With several `processes`, those that are
  /// resumed are one.
  explicit FaultyRun(std::vector<std::string> settings, int processes = 1);

  /// Calls of the unbroken run.
  const std::vector<CountedCall>& calls(bool no_tmpfile = false);
  /// Calls that an unbroken run makes of those that the setting counts.
  std::vector<CountedCall> count_calls(FaultSetting setting);

  struct Verdict {
    bool fired = false;  ///< the call was made, and failed
    CountedCall call;    ///< that failed first
    std::vector<CountedCall> calls;
    int exit_code = 0;  ///< of the run with the fault
    std::string err;
    double seconds = 0;               ///< until its end
    std::int64_t newest = 0;          ///< step of the newest whole checkpoint that it left
    bool left_temporaries = false;    ///< it left files to be removed
    std::vector<std::string> broken;  ///< promises, in words; empty where all were kept
  };
  /// A run with the fault, then `--resume` without one.
  Verdict try_fault(const FaultSetting& setting);

 private:
  std::filesystem::path runs() const { return run_ / "runs"; }
  std::filesystem::path out() const { return runs() / "run"; }
  std::string report() const { return run_ / "report"; }
  Arguments training(bool resume) const;
  std::vector<CountedCall> run_unbroken(const FaultSetting& setting);
  /// The names and sums of what a run leaves, but for the log, the lock and the link to the best.
  std::string leavings() const;
  std::int64_t newest_whole(std::vector<std::string>& broken) const;
  void judge_faulty(const FaultSetting& setting, Verdict& verdict) const;
  void resume_and_judge(std::int64_t complete, Verdict& verdict) const;

  SmallRun run_;
  std::vector<std::string> settings_;
  int processes_;
  std::vector<CountedCall> calls_, named_;
  std::string leavings_, sum_;
};

}  // namespace gloss
