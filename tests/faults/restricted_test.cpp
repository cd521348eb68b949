// With less memory, address space or rights than usual the program works, or reports in one line that memory ran out.
// More limits: scripts/memory_sweep.sh.

#include <filesystem>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/kernel_table.h"
#include "tests/faults/faulty_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

class RestrictedTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = new SmallRun;
    model_ = run_->untrained_model();
  }
  static void TearDownTestSuite() { delete run_; }

  static Outcome run(const Arguments& restrictions, const Arguments& arguments, const std::string& input = {}) {
    Streams streams{.launcher = {GLOSS_RESTRICTED}};
    streams.launcher.insert(streams.launcher.end(), restrictions.begin(), restrictions.end());
    Process process(arguments, streams);
    process.write(input);
    return process.wait();
  }
  static Arguments training(const std::string& threads = "2") {
    return run_->training("run", {"--overwrite", "--quiet", "--threads", threads, "--set", "training.max_steps=4"});
  }
  static Arguments translating(const std::string& threads = "2") {
    return {"translate", "--model", model_, "--quiet", "--threads", threads};
  }

  static inline SmallRun* run_;
  static inline std::string model_;
};

constexpr int kLoaderFailed = 127;  // of the shared libraries' loader, which no program can change

TEST_F(RestrictedTest, WithLittleAddressSpaceItWorksOrSaysThatMemoryRanOut) {
  for (const int mebibytes : {360, 400, 420, 450, 480, 510, 540, 600}) {
    for (const bool trains : {false, true}) {
      const auto outcome = run({"address-space=" + std::to_string(mebibytes)}, trains ? training() : translating(),
                               trains ? "" : "bada\n");
      const auto where = (trains ? "training in " : "translating in ") + std::to_string(mebibytes) + " MiB";
      EXPECT_THAT(outcome.exit_code, AnyOf(0, 7, kLoaderFailed)) << where << ": " << outcome.err;
      if (outcome.exit_code == 7) {
        EXPECT_THAT(outcome.err,
                    AnyOf(HasSubstr("out of memory"), HasSubstr("no further thread (ulimit -u, ulimit -v")))
            << where;
      }
    }
  }
}

TEST_F(RestrictedTest, WhereNotAllThreadsCanBeStartedFewerComputeAfterAWarning) {
  const auto usual = run({}, translating("1"), "bada\nkilo\n");
  const auto outcome = run({"address-space=1200"}, translating("500"), "bada\nkilo\n");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, MatchesRegex("warning: the system gives [0-9]+ threads in place of 500 .*\n"));
  EXPECT_EQ(outcome.out, usual.out);
}

TEST_F(RestrictedTest, AThreadThatIsRefusedIsDoneWithoutOrNamed) {
  for (const bool processes : {false, true}) {
    auto arguments = training(processes ? "1" : "2");
    if (processes) arguments.insert(arguments.end(), {"--processes", "2"});
    int refused = 0;
    for (int at = 1; at < (processes ? 12 : 30); ++at) {
      const EnvironmentVariable shim("LD_PRELOAD", GLOSS_THREAD_SHIM), number("GLOSS_FAULT_AT", std::to_string(at));
      const auto outcome = run({}, arguments);
      if (outcome.err.find("without Gloo") != std::string::npos) break;
      EXPECT_THAT(outcome.exit_code, AnyOf(0, 7)) << "thread " << at << ": " << outcome.err;
      if (outcome.exit_code == 0) continue;
      ++refused;
      EXPECT_THAT(outcome.err,
                  AllOf(HasSubstr("the system gives no further thread (ulimit -u"), Not(HasSubstr("c10d"))))
          << at;
    }
    if (processes) {
      EXPECT_GT(refused, 0);
    }
  }
}

TEST_F(RestrictedTest, SeveralProcessesWithFewOpenFilesWorkOrNameTheLimit) {
  Arguments arguments = training("1");
  arguments.insert(arguments.end(), {"--processes", "2"});
  for (const int files : {5, 6, 8, 12, 16, 24, 32, 40, 48, 64}) {
    const auto outcome = run({"open-files=" + std::to_string(files)}, arguments);
    if (outcome.err.find("without Gloo") != std::string::npos) GTEST_SKIP() << outcome.err;
    EXPECT_THAT(outcome.exit_code, AnyOf(0, 4, kLoaderFailed)) << files << ": " << outcome.err;
    if (outcome.exit_code == 4) {
      EXPECT_THAT(outcome.err, AllOf(HasSubstr("Too many open files"), HasSubstr("ulimit -n"))) << files;
    }
    if (files == 64) {
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    }
  }
}

TEST_F(RestrictedTest, WhereTheMemoryCannotBeAskedForNoModelIsTooLarge) {
  const auto outcome = run({"no-sysinfo"}, training());
  if (outcome.exit_code == 125) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(RestrictedTest, WhereProcIsNotMountedCommandsRunAndSeveralProcessesAreRefused) {
  const auto usual = run({}, translating(), "bada\n");
  const auto outcome = run({"no-proc"}, translating(), "bada\n");
  if (outcome.exit_code == 125) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, usual.out);
  Arguments arguments = training("1");
  arguments.insert(arguments.end(), {"--processes", "2"});
  const auto several = run({"no-proc"}, arguments);
  EXPECT_EQ(several.exit_code, 4);
  EXPECT_THAT(several.err, HasSubstr("--processes: wanted /proc"));
}

TEST_F(RestrictedTest, WhereNoWrittenCodeMayRunTrainingMultipliesWithoutIt) {
  const auto outcome = run({"no-written-code"}, training());
  if (outcome.exit_code == 125) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AnyOf(IsEmpty(), HasSubstr("warning: this system lets no process run code")));
  EXPECT_EQ(run({"no-written-code"}, translating(), "bada\n").out, run({}, translating(), "bada\n").out);
}

TEST_F(RestrictedTest, AFileThatMayNotGrowFurtherIsAnIoError) {
  const auto outcome = run({"file-size=4096"}, training());
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write: File too large"));
}

TEST_F(RestrictedTest, ADiskThatIsFullForProcess0EndsAllProcesses) {
  Arguments arguments = training("1");
  arguments.insert(arguments.end(), {"--processes", "2"});
  const auto whole = run({}, arguments);
  if (whole.err.find("without Gloo") != std::string::npos) GTEST_SKIP() << whole.err;
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  for (const char* bytes : {"4096", "20000"}) {  // too little for the ids of the text; for a checkpoint
    const auto outcome = run({std::string("file-size=") + bytes}, arguments);
    EXPECT_EQ(outcome.exit_code, 4) << bytes;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("cannot write: File too large"), Not(HasSubstr("process 1")))) << bytes;
  }
}

TEST_F(RestrictedTest, SeveralProcessesWithLittleAddressSpaceWorkOrSayWhatHappened) {
  Arguments arguments = training("1");
  arguments.insert(arguments.end(), {"--processes", "2"});
  for (const int mebibytes : {450, 600, 700, 800, 900, 1000}) {
    const auto outcome = run({"address-space=" + std::to_string(mebibytes)}, arguments);
    EXPECT_THAT(outcome.exit_code, AnyOf(0, 7, 8, kLoaderFailed)) << mebibytes << " MiB: " << outcome.err;
    EXPECT_EQ(outcome.exit_code == 0, outcome.err.empty()) << mebibytes << " MiB: " << outcome.err;
  }
}

TEST_F(RestrictedTest, MemoryThatCannotBeHadEndsTrainingOrIsDoneWithout) {
  int failed = 0;
  for (int at = 1; at < 60; at += 4) {
    const auto report = *run_ / ("report" + std::to_string(at));
    const EnvironmentVariable shim("LD_PRELOAD", GLOSS_MEMORY_SHIM), number("GLOSS_FAULT_AT", std::to_string(at)),
        reports("GLOSS_FAULT_REPORT", report);
    const auto outcome = run({}, training());
    EXPECT_THAT(outcome.exit_code, AnyOf(0, 7)) << "mapping " << at << ": " << outcome.err;
    if (outcome.exit_code == 7) {
      EXPECT_THAT(outcome.err, HasSubstr("out of memory")) << at;
    }
    if (std::filesystem::exists(report)) ++failed;
  }
  // Products by written code map memory of their own; they need AVX-512.
  const bool has_written_code = kernels::active_instruction_set() >= kernels::InstructionSet::kAvx512;
  EXPECT_GT(failed, has_written_code ? 10 : 0) << "mappings that failed";
}

// Of /proc a training's results depend on this file.
}  // namespace
}  // namespace gloss
