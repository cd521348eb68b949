// gloss_fault_campaign: calls of a training fail, or it is killed, again and again (tests/faults/README.md).

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/faulty_run.h"
#include "tests/faults/kill_loop.h"

namespace gloss {
namespace {

struct Variant {
  std::string name;
  std::vector<std::string> settings;
};

struct Counts {
  std::int64_t tried = 0, survived = 0, ended_0 = 0, ended_4 = 0, killed = 0;
};

/// Fails call 1, 2, ... until a run is clean; of writes that follow each other only each `stride`th. Only a write can
/// be short.
Counts try_all(FaultyRun& run, FaultSetting setting, std::int64_t stride) {
  const auto& calls = run.calls(setting.no_tmpfile);
  Counts counts;
  std::int64_t writes = 0;
  for (setting.at = 1;; ++setting.at) {
    if (setting.at <= static_cast<std::int64_t>(calls.size())) {
      const bool is_write = calls[static_cast<std::size_t>(setting.at - 1)].name == "write";
      writes = is_write ? writes + 1 : 0;
      if (is_write ? (writes - 1) % stride != 0 : setting.kind == "short") continue;
    }

    const auto verdict = run.try_fault(setting);
    if (!verdict.fired) break;
    ++counts.tried;
    counts.survived += verdict.broken.empty();
    counts.ended_0 += verdict.exit_code == 0;
    counts.ended_4 += verdict.exit_code == 4;
    counts.killed += verdict.exit_code < 0;
    for (const std::string& broken : verdict.broken)
      std::printf("  %s (%s %s): %s\n", setting.text().c_str(), verdict.call.name.c_str(), verdict.call.path.c_str(),
                  broken.substr(0, 400).c_str());
    std::fflush(stdout);
  }
  return counts;
}

int fault_campaign(const std::string& kinds, std::int64_t stride, const std::string& only) {
  const std::vector<Variant> variants = {
      {"average", {"training.average_last=2", "training.ema_decay=0.5"}},
      {"best",
       {"training.early_stop.metric=loss", "training.early_stop.patience=2", "training.validate_every=1",
        "training.schedule=constant", "training.learning_rate=1", "training.max_steps=20"}}};
  std::int64_t lost = 0, tried = 0;
  for (const Variant& variant : variants) {
    if (!only.empty() && variant.name != only) continue;
    FaultyRun run(variant.settings);
    std::printf("%s: %zu calls in an unbroken run\n", variant.name.c_str(), run.calls().size());
    for (const auto& [name, setting] :
         std::vector<std::pair<std::string, FaultSetting>>{{"ENOSPC", {.kind = "ENOSPC"}},
                                                           {"EIO", {.kind = "EIO"}},
                                                           {"short", {.kind = "short"}},
                                                           {"kill", {.kind = "kill"}},
                                                           {"tear", {.kind = "tear"}},
                                                           {"power", {.kind = "power"}},
                                                           {"ENOSPC-on", {.kind = "ENOSPC", .persistent = true}},
                                                           {"EIO-on", {.kind = "EIO", .persistent = true}},
                                                           {"ENOSPC-named", {.kind = "ENOSPC", .no_tmpfile = true}},
                                                           {"kill-named", {.kind = "kill", .no_tmpfile = true}},
                                                           {"power-named", {.kind = "power", .no_tmpfile = true}}}) {
      if (kinds != "all" && (',' + kinds + ',').find(',' + name + ',') == std::string::npos) continue;
      const Counts counts = try_all(run, setting, stride);
      std::printf("%-8s %-13s %5lld tried  %5lld survived  exit 0: %lld  exit 4: %lld  killed: %lld\n",
                  variant.name.c_str(), name.c_str(), static_cast<long long>(counts.tried),
                  static_cast<long long>(counts.survived), static_cast<long long>(counts.ended_0),
                  static_cast<long long>(counts.ended_4), static_cast<long long>(counts.killed));
      std::fflush(stdout);
      tried += counts.tried;
      lost += counts.tried - counts.survived;
    }
  }
  std::printf("faults: %lld tried, %lld survived\n", static_cast<long long>(tried),
              static_cast<long long>(tried - lost));
  return lost == 0 ? 0 : 1;
}

/// The calls of the starter and of both processes of a run, first those below its folder, then those on sockets. Each
/// fails in one of two ways.
std::vector<FaultSetting> faults_of_two_processes(FaultyRun& run) {
  std::vector<FaultSetting> faults;
  for (const bool sockets : {false, true}) {
    for (const auto* process : {"starter", "0", "1"}) {
      FaultSetting setting{.sockets = sockets, .process = process};
      const auto calls = std::ssize(run.count_calls(setting));
      std::printf("%s: %lld calls %s\n", process, static_cast<long long>(calls), sockets ? "on sockets" : "on files");
      for (setting.at = 1; setting.at <= calls; ++setting.at) {
        setting.kind =
            sockets ? (setting.at % 2 == 0 ? "network" : "closed") : (setting.at % 2 == 0 ? "ENOSPC" : "EIO");
        faults.push_back(setting);
      }
    }
  }
  return faults;
}

/// Tries `count` evenly spaced faults from number `first` on.
int fault_processes(std::int64_t count, std::int64_t first) {
  FaultyRun run({"training.average_last=2", "training.ema_decay=0.5"}, 2);
  const auto faults = faults_of_two_processes(run);
  std::map<int, std::int64_t> ends;  // runs with each exit code
  std::int64_t tried = 0, lost = 0;
  double slowest = 0;
  for (auto number = first; number < count; ++number) {
    const auto& fault = faults.at(static_cast<std::size_t>(number * std::ssize(faults) / count));
    FaultyRun::Verdict verdict;
    try {
      verdict = run.try_fault(fault);
    } catch (const std::exception& hang) {
      verdict.fired = true;
      verdict.broken.emplace_back(hang.what());
    }
    if (!verdict.fired) continue;
    ++tried;
    ++ends[verdict.exit_code];
    slowest = std::max(slowest, verdict.seconds);
    lost += !verdict.broken.empty();
    std::ranges::replace(verdict.err, '\n', '|');
    std::printf("%lld: %s (%s): exit code %d after %.1f s: %s\n", static_cast<long long>(number), fault.text().c_str(),
                verdict.call.name.c_str(), verdict.exit_code, verdict.seconds, verdict.err.c_str());
    for (const std::string& broken : verdict.broken) std::printf("  broken: %s\n", broken.c_str());
    std::fflush(stdout);
  }
  for (const auto& [code, runs] : ends) std::printf("exit code %d: %lld\n", code, static_cast<long long>(runs));
  std::printf("faults in two processes: %lld tried, %lld survived, the slowest run ended after %.1f s\n",
              static_cast<long long>(tried), static_cast<long long>(tried - lost), slowest);
  return lost == 0 ? 0 : 1;
}

int usage() {
  std::fputs(
      "usage: gloss_fault_campaign faults [KINDS|all [STRIDE [average|best]]]\n"
      "       gloss_fault_campaign processes FAULTS [FIRST]\n"
      "       gloss_fault_campaign kills tiny|big COUNT [STATE]\n",
      stderr);
  return 2;
}

int run(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "faults")
    return fault_campaign(words.size() > 1 ? words[1] : "all", words.size() > 2 ? std::atoll(words[2].c_str()) : 1,
                          words.size() > 3 ? words[3] : "");
  if ((words.size() == 2 || words.size() == 3) && words[0] == "processes")
    return fault_processes(std::atoll(words[1].c_str()), words.size() > 2 ? std::atoll(words[2].c_str()) : 0);
  if ((words.size() == 3 || words.size() == 4) && words[0] == "kills" && (words[1] == "tiny" || words[1] == "big"))
    return kill_loop(words[1] == "big", std::atoll(words[2].c_str()), words.size() > 3 ? words[3] : "");
  return usage();
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  try {
    return gloss::run({argv + 1, argv + argc});
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 1;
  }
}
