// gloss_fault_campaign: every call that a training makes below its run folder fails once (tests/faults/README.md).

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

int usage() {
  std::fputs(
      "usage: gloss_fault_campaign faults [KINDS|all [STRIDE [average|best]]]\n"
      "       gloss_fault_campaign kills tiny|big COUNT\n",
      stderr);
  return 2;
}

int run(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "faults")
    return fault_campaign(words.size() > 1 ? words[1] : "all", words.size() > 2 ? std::atoll(words[2].c_str()) : 1,
                          words.size() > 3 ? words[3] : "");
  if (words.size() == 3 && words[0] == "kills" && (words[1] == "tiny" || words[1] == "big"))
    return kill_loop(words[1] == "big", std::atoll(words[2].c_str()));
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
