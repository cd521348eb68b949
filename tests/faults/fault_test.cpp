// A fault in a run loses nothing, and the user gets a message. scripts/fault_campaign.sh tries all of them.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "tests/faults/faulty_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::vector<std::string> kAverage = {"training.average_last=2", "training.ema_decay=0.5"};
const std::vector<std::string> kBest = {"training.early_stop.metric=loss", "training.early_stop.patience=2",
                                        "training.validate_every=1",       "training.schedule=constant",
                                        "training.learning_rate=1",        "training.max_steps=20"};

/// The number, from 1, of the first call of this name whose path holds `part`, after call `from`.
std::int64_t find_call(const std::vector<CountedCall>& calls, const std::string& name, const std::string& part,
                       std::int64_t from = 0) {
  for (auto i = static_cast<std::size_t>(from); i < calls.size(); ++i)
    if (calls[i].name == name && calls[i].path.find(part) != std::string::npos) return std::int64_t(i) + 1;
  ADD_FAILURE() << "no " << name << " of " << part;
  return 0;
}

/// One of each kind of call on each kind of file.
std::vector<std::int64_t> different_calls(const std::vector<CountedCall>& calls) {
  std::set<std::string> seen;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::string kind = calls[i].name + ' ' + calls[i].path;
    std::erase_if(kind, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (seen.insert(kind).second) numbers.push_back(std::int64_t(i) + 1);
  }
  return numbers;
}

class FaultTest : public testing::TestWithParam<std::string> {};

TEST_P(FaultTest, NothingIsLostAndTheUserIsToldWhateverCallItMeets) {
  const std::vector<std::string> kinds = {"ENOSPC", "EIO", "kill", "tear", "power"};
  FaultyRun run(kAverage);
  const auto& calls = run.calls();
  auto numbers = different_calls(calls);
  ASSERT_GT(numbers.size(), 30U);
  const auto mine = std::ranges::find(kinds, GetParam()) - kinds.begin();
  for (std::size_t i = 0; i < numbers.size(); ++i) {  // the kinds share the calls
    if (std::ptrdiff_t(i % kinds.size()) != mine) continue;
    const FaultSetting setting{.kind = GetParam(), .at = numbers[i]};
    const auto verdict = run.try_fault(setting);
    EXPECT_TRUE(verdict.fired) << setting.text();
    EXPECT_THAT(verdict.broken, IsEmpty()) << setting.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultTest, testing::Values("ENOSPC", "EIO", "kill", "tear", "power"),
                         [](const auto& kind) { return kind.param; });

class SaveFaultTest : public testing::Test {
 protected:
  /// The fault at the first call of this name on the first checkpoint.
  FaultyRun::Verdict fail_in_save(FaultyRun& run, const std::string& kind, const std::string& name, bool persistent) {
    const auto& calls = run.calls();
    const FaultSetting setting{.kind = kind, .at = find_call(calls, name, "/checkpoints/"), .persistent = persistent};
    auto verdict = run.try_fault(setting);
    EXPECT_TRUE(verdict.fired) << setting.text();
    EXPECT_THAT(verdict.broken, IsEmpty()) << setting.text();
    return verdict;
  }
};

TEST_F(SaveFaultTest, ADiskThatIsFullForOneSaveIsWarnedOf) {
  FaultyRun run({});
  const auto verdict = fail_in_save(run, "short", "write", false);
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_THAT(verdict.err, AllOf(HasSubstr("warning: "), HasSubstr("step-00000002.safetensors: cannot write"),
                                 HasSubstr("No space left on device; training continues, the next save tries again")));
}

TEST_F(SaveFaultTest, ACheckpointThatTheModelIsMadeOfIsTriedTwice) {
  for (const auto& settings : {kAverage, kBest}) {
    FaultyRun run(settings);
    const auto verdict = fail_in_save(run, "EIO", "sync", false);
    EXPECT_EQ(verdict.exit_code, 0);
    EXPECT_THAT(verdict.err, HasSubstr("trying once more"));
  }
}

TEST_F(SaveFaultTest, ADiskThatStaysFullEndsTheRunWithAnIoError) {
  for (const auto& settings : {std::vector<std::string>{}, kAverage, kBest}) {
    FaultyRun run(settings);
    const auto verdict = fail_in_save(run, "ENOSPC", "write", true);
    EXPECT_EQ(verdict.exit_code, 4);
    EXPECT_THAT(verdict.err, HasSubstr("cannot "));
  }
}

TEST_F(SaveFaultTest, WhereThereIsACheckpointTheMessageSaysToResume) {
  FaultyRun run({});
  const auto at = find_call(run.calls(), "rename", "/model.safetensors");
  const auto verdict = run.try_fault({.kind = "ENOSPC", .at = at});
  EXPECT_THAT(verdict.broken, IsEmpty());
  EXPECT_EQ(verdict.exit_code, 4);
  EXPECT_THAT(verdict.err, HasSubstr("model.safetensors: cannot rename into place: No space left on device; "
                                     "remove the cause, then continue with --resume"));
}

// It has a name where the file system cannot do without: the descriptor is closed, the file removed, a new one made.
TEST_F(SaveFaultTest, AfterAFailedFsyncTheFileIsRemoved) {
  FaultyRun run(kAverage);
  const auto& calls = run.calls(true);
  const auto at = find_call(calls, "sync", "/checkpoints/.gloss.");
  const auto verdict = run.try_fault({.kind = "EIO", .at = at, .no_tmpfile = true});
  EXPECT_THAT(verdict.broken, IsEmpty());
  std::vector<std::string> later;
  for (auto i = static_cast<std::size_t>(at); i < verdict.calls.size(); ++i)
    if (verdict.calls[i].path == verdict.call.path) later.push_back(verdict.calls[i].name);
  EXPECT_THAT(later, ElementsAre("close", "remove"));
}

TEST_F(SaveFaultTest, TheTemporaryFileOfAKilledSaveIsRemovedByTheNextRun) {
  FaultyRun run(kAverage);
  const auto verdict = run.try_fault(
      {.kind = "kill", .at = find_call(run.calls(true), "sync", "/checkpoints/.gloss."), .no_tmpfile = true});
  EXPECT_THAT(verdict.call.path, testing::EndsWith(".tmp"));
  EXPECT_TRUE(verdict.left_temporaries);
  EXPECT_THAT(verdict.broken, IsEmpty());
}

TEST_F(SaveFaultTest, ASignalDuringASaveWaitsForItsEnd) {
  FaultyRun run(kAverage);
  const auto verdict = fail_in_save(run, "SIGTERM", "sync", false);
  EXPECT_EQ(verdict.exit_code, 143);
  EXPECT_GT(find_call(verdict.calls, "rename", "/step-00000002"), find_call(run.calls(), "sync", "/checkpoints/"));
  EXPECT_GE(verdict.newest, 2);
}

TEST_F(SaveFaultTest, ASecondSignalEndsTheRunAtOnce) {
  FaultyRun run(kAverage);
  const auto verdict = fail_in_save(run, "SIGTERM", "write", true);
  EXPECT_EQ(verdict.exit_code, 143);
  EXPECT_EQ(verdict.newest, 0);
}

// The lens after a validation stops where it is, so the resumed run validates again.
TEST(ValidationFaultTest, AValidationThatASignalMeetsIsLoggedOnce) {
  const SmallRun run;
  const Arguments lens = {"--set", R"(lens.sentences=["bada","kilo"])"};
  const auto validations = [&](const std::string& out) {
    std::map<std::int64_t, int> counts;
    for (const auto& line : lines_of(read_text(run / out / "log.jsonl")))
      if (const auto event = parse_json(line); event.at("event") == "validation") ++counts[event.at("step")];
    return counts;
  };
  const auto writes = [](const fs::path& report) {
    std::vector<std::int64_t> numbers;
    const auto calls = read_calls(report);
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i].name == "write") numbers.push_back(std::int64_t(i) + 1);
    return numbers;
  };
  {
    const FaultEnvironment none({.kind = "SIGTERM"}, run / "whole" / "log.jsonl", run / "report");
    ASSERT_EQ(run_gloss(run.training("whole", lens)).exit_code, 0);
  }
  ASSERT_THAT(validations("whole"), ElementsAre(std::pair(20, 1), std::pair(40, 1)));
  const auto lines = lines_of(read_text(run / "whole" / "log.jsonl"));
  const auto numbers = writes(run / "report");
  ASSERT_EQ(numbers.size(), lines.size());
  const auto first =
      std::ranges::find_if(lines, [](const auto& line) { return parse_json(line).at("event") == "validation"; });
  {
    const FaultEnvironment at_validation(
        {.kind = "SIGTERM", .at = numbers.at(static_cast<std::size_t>(first - lines.begin()))},
        run / "stopped" / "log.jsonl", run / "second");
    ASSERT_EQ(run_gloss(run.training("stopped", lens)).exit_code, 143);
  }
  auto resume = lens;
  resume.emplace_back("--resume");
  ASSERT_EQ(run_gloss(run.training("stopped", resume)).exit_code, 0);
  EXPECT_EQ(validations("stopped"), validations("whole"));
}

TEST_F(SaveFaultTest, AFolderThatCannotBeWrittenEndsTheRunBeforeItsFirstStep) {
  FaultyRun run(kAverage);
  for (const auto& [name, part] : {std::pair("mkdir", "/run"), {"open", "/run"}, {"write", "/.lock"}}) {
    const auto verdict = run.try_fault({.kind = "EIO", .at = find_call(run.calls(), name, part)});
    EXPECT_EQ(verdict.exit_code, 4);
    EXPECT_THAT(verdict.err, Not(HasSubstr("step")));
    EXPECT_THAT(verdict.broken, IsEmpty());
  }
}

}  // namespace
}  // namespace gloss
