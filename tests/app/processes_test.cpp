// Training with several processes of this machine.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/files/sha256.h"
#include "common/system/descriptor.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ProcessesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto done = train("probe", 2, 1, {"--set", "training.max_steps=0"});
    if (done.err.find("without Gloo") != std::string::npos) GTEST_SKIP() << done.err;
  }

  Outcome train(const std::string& out, int processes, int threads, const Arguments& more = {}) const {
    return run_gloss(training(out, processes, threads, more));
  }
  Arguments training(const std::string& out, int processes, int threads, const Arguments& more = {}) const {
    Arguments all = {"--threads", std::to_string(threads), "--processes", std::to_string(processes)};
    all.insert(all.end(), more.begin(), more.end());
    return run_.training(out, all);
  }
  std::string sum(const std::string& out) const { return sha256(read_text((run_ / out) / "model.safetensors")); }

  /// The processes that `parent` has started, in the order of their numbers.
  static std::vector<pid_t> children_of(pid_t parent) {
    std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
    std::vector<pid_t> children;
    for (pid_t child = 0; file >> child;) children.push_back(child);
    return children;
  }
  void wait_for_checkpoint(Process& process, const std::string& out) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    const auto folder = (run_ / out) / "checkpoints";
    while (process.running() && (!fs::exists(folder) || fs::is_empty(folder))) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(out + ": no checkpoint came");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  /// Waits until all but `count` processes that `starter` has started have ended.
  static void wait_for_end_of(const Process& starter, std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (children_of(starter.id()).size() > count && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  /// Waits until a process has ended, even if its parent has not noticed; returns false after two minutes.
  static bool ends(pid_t process) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto status = read_text("/proc/" + std::to_string(process) + "/stat");  // "12 (gloss) Z ..."
      if (status.empty() || status.find(") Z") != status.npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  /// Stops one of some processes for good; the others must end with exit code 8. Returns their stderr.
  std::string errors_if_one_hangs(std::size_t processes, std::size_t rank) const {
    Process run(training("run", static_cast<int>(processes), 1, {"--set", "training.max_steps=1000000"}));
    wait_for_checkpoint(run, "run");
    const auto children = children_of(run.id());
    EXPECT_EQ(children.size(), processes);
    EXPECT_EQ(::kill(children.at(rank), SIGSTOP), 0);
    wait_for_end_of(run, 1);
    const auto lost = run.wait();  // the starter kills it
    EXPECT_EQ(lost.exit_code, 8);
    return lost.err;
  }
  static int free_port() {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size);
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
  }

  SmallRun run_;
};

TEST_F(ProcessesTest, ModelsAreEqualByteForByte) {
  const Arguments with_ema = {"--set", "training.ema_decay=0.9", "--set", "training.average_last=2"};
  for (const auto& more : {Arguments{}, with_ema}) {
    const auto one = train("1x1", 1, 1, more);
    ASSERT_EQ(one.exit_code, 0) << one.err;
    for (const auto& [processes, threads] : {std::pair(1, 2), {2, 1}, {2, 2}, {3, 1}, {4, 1}}) {
      const auto out = std::to_string(processes) + "x" + std::to_string(threads);
      const auto several = train(out, processes, threads, more);
      EXPECT_EQ(several.exit_code, 0) << several.err;
      EXPECT_EQ(several.out, one.out) << out << ": another score";
      EXPECT_EQ(sum(out), sum("1x1")) << out;
      fs::remove_all(run_ / out);
    }
    fs::remove_all(run_ / "1x1");
  }
}

TEST_F(ProcessesTest, BatchNormsAreEqualToo) {
  const Arguments more = {"--set", "model.norm_type=batch"};
  ASSERT_EQ(train("one", 1, 1, more).exit_code, 0);
  const auto three = train("three", 3, 1, more);
  EXPECT_EQ(three.exit_code, 0) << three.err;
  EXPECT_EQ(sum("three"), sum("one"));
}

TEST_F(ProcessesTest, EarlyStopsAndAccumulationAreEqualToo) {
  const Arguments stopping = {"--set", "training.early_stop.patience=1", "--set", "training.validate_every=4",
                              "--set", "training.accumulate=2",          "--set", "training.max_steps=1000"};
  const auto one = train("one", 1, 1, stopping);
  ASSERT_EQ(one.exit_code, 0) << one.err;
  ASSERT_THAT(one.err, HasSubstr("ended early"));
  const auto three = train("three", 3, 1, stopping);
  EXPECT_EQ(three.exit_code, 0) << three.err;
  EXPECT_THAT(three.err, HasSubstr("ended early"));
  EXPECT_EQ(sum("three"), sum("one"));
}

TEST_F(ProcessesTest, AllEndWhenTheTimeIsOver) {
  const auto done = train("run", 2, 1, {"--set", "training.max_hours=1e-9", "--set", "training.max_steps=1000000"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(fs::exists((run_ / "run") / "model.safetensors"));
}

TEST_F(ProcessesTest, AllEndWhenTrainingDivergesAndOneReportsIt) {
  const auto diverged =
      train("run", 2, 1, {"--set", "training.schedule=constant", "--set", "training.learning_rate=1e30"});
  EXPECT_EQ(diverged.exit_code, 6) << diverged.err;
  const auto first = diverged.err.find("in a row; lower training.learning_rate");
  ASSERT_NE(first, std::string::npos) << diverged.err;
  EXPECT_EQ(diverged.err.find("in a row; lower training.learning_rate", first + 1), std::string::npos);
}

TEST_F(ProcessesTest, OnlyProcess0Reports) {
  const auto done = train("run", 2, 1);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("2 processes"), Not(HasSubstr("process 1"))));
  const auto first = done.err.find("validation at step 20");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(done.err.find("validation at step 20", first + 1), std::string::npos) << "reported twice";
}

TEST_F(ProcessesTest, AStoppedRunGoesOnWithAnotherNumberToTheSameBits) {
  const Arguments steps = {"--set", "training.max_steps=200"};
  ASSERT_EQ(train("unbroken", 1, 1, steps).exit_code, 0);
  Process two(training("broken", 2, 1, steps));
  wait_for_checkpoint(two, "broken");
  two.signal(SIGTERM);
  const auto stopped = two.wait();
  EXPECT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("--processes 2"));
  EXPECT_FALSE(fs::exists((run_ / "broken") / "model.safetensors"));
  auto resume = steps;
  resume.emplace_back("--resume");
  const auto last = train("broken", 3, 1, resume);
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(sum("broken"), sum("unbroken"));
}

TEST_F(ProcessesTest, IfOneIsKilledTheOthersEndAndTheRunGoesOn) {
  const Arguments steps = {"--set", "training.max_steps=200"};
  ASSERT_EQ(train("unbroken", 1, 1, steps).exit_code, 0);
  for (const std::size_t rank : {0, 1}) {
    const auto out = "killed" + std::to_string(rank);
    Process run(training(out, 2, 1, steps));
    wait_for_checkpoint(run, out);
    const auto children = children_of(run.id());
    ASSERT_EQ(children.size(), 2u);
    ASSERT_EQ(::kill(children[rank], SIGKILL), 0);
    const auto lost = run.wait();
    EXPECT_EQ(lost.exit_code, 8) << lost.err;
    EXPECT_THAT(lost.err,
                AllOf(HasSubstr("process " + std::to_string(rank) + " was ended by signal 9"), HasSubstr("--resume")));
    auto resume = steps;
    resume.emplace_back("--resume");
    const auto last = train(out, 1, 2, resume);
    EXPECT_EQ(last.exit_code, 0) << last.err;
    EXPECT_EQ(sum(out), sum("unbroken"));
  }
}

TEST_F(ProcessesTest, AProcessThatHangsIsFound) {
  EXPECT_THAT(errors_if_one_hangs(2, 1), HasSubstr("process 1 of this run does not answer"));
}

TEST_F(ProcessesTest, IfProcess0HangsTheOthersNameIt) {
  EXPECT_THAT(errors_if_one_hangs(3, 0), AllOf(HasSubstr("process 0 of this run does not answer"),
                                               Not(HasSubstr("process 1 of this run does not answer"))));
}

TEST_F(ProcessesTest, NoneWaitsForTheStarterIfItHangsAtTheEnd) {
  Process run(training("run", 2, 1));
  std::vector<pid_t> children;
  while (run.running() && !fs::exists((run_ / "run") / "model.safetensors")) {
    if (auto now = children_of(run.id()); now.size() > children.size()) children = std::move(now);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(children.size(), 2u);
  run.signal(SIGSTOP);
  for (const auto child : children) EXPECT_TRUE(ends(child));
  run.signal(SIGCONT);
  run.wait();
}

TEST_F(ProcessesTest, ASignalToOneStopsAllWithItsCode) {
  Process run(training("run", 2, 1, {"--set", "training.max_steps=1000000"}));
  wait_for_checkpoint(run, "run");
  const auto children = children_of(run.id());
  ASSERT_EQ(children.size(), 2u);
  ASSERT_EQ(::kill(children[1], SIGTERM), 0);
  const auto stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped after step"));
}

TEST_F(ProcessesTest, TheRunIsSavedIfItsStarterIsKilled) {
  const Arguments steps = {"--set", "training.max_steps=1000000"};
  Process run(training("run", 2, 1, steps));
  wait_for_checkpoint(run, "run");
  ::kill(run.id(), SIGKILL);
  const auto killed = run.wait();  // until the processes have closed its streams
  EXPECT_EQ(killed.exit_code, -SIGKILL);
  EXPECT_THAT(killed.err, AllOf(HasSubstr("stopped after step"), Not(HasSubstr("does not answer"))));
}

TEST_F(ProcessesTest, ASignalToTheStarterAndItsProcessesIsOne) {
  Process run(training("run", 2, 1, {"--set", "training.max_steps=1000000"}));
  wait_for_checkpoint(run, "run");
  const auto children = children_of(run.id());
  for (const auto id : children) ::kill(id, SIGTERM);
  run.signal(SIGTERM);
  const auto stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped after step"));
}

TEST_F(ProcessesTest, ProcessesOfAnotherStarterMayComeLateButMustHaveEqualSettings) {
  const auto port = std::to_string(free_port());
  const auto start = [&](const char* rank, const Arguments& more) {
    return std::make_unique<Process>(
        run_.training("run", more),
        Streams{.launcher = {"env", std::string("RANK=") + rank, "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=2",
                             "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}});
  };
  {
    const auto first = start("0", {}), second = start("1", {"--set", "training.save_every=7"});
    const auto of_second = second->wait(), of_first = first->wait();
    EXPECT_EQ(of_first.exit_code, 2);
    EXPECT_EQ(of_second.exit_code, 2);
    EXPECT_THAT(of_first.err, AllOf(HasSubstr("processes 0 and 1"), HasSubstr("settings.training.save_every")));
    EXPECT_FALSE(fs::exists(run_ / "run")) << "refused before anything was written";
  }
  const auto first = start("0", {});
  first->wait_for_error("waiting for 1 of 2 processes");
  const auto second = start("1", {});
  EXPECT_EQ(second->wait().exit_code, 0);
  const auto of_first = first->wait();
  EXPECT_EQ(of_first.exit_code, 0) << of_first.err;
  EXPECT_THAT(of_first.err, HasSubstr("waiting for 1 of 2 processes"));
}

TEST_F(ProcessesTest, ProcessesThatResumeFromOtherCheckpointsAreRefusedInPlainWords) {
  ASSERT_EQ(train("long", 1, 1, {"--set", "training.max_steps=20"}).exit_code, 0);
  ASSERT_EQ(train("short", 1, 1, {"--set", "training.max_steps=10"}).exit_code, 0);
  const auto port = std::to_string(free_port());
  const auto start = [&](const char* rank, const char* out) {
    return std::make_unique<Process>(run_.training(out, {"--resume"}),
                                     Streams{.launcher = {"env", std::string("RANK=") + rank, "WORLD_SIZE=2",
                                                          "LOCAL_WORLD_SIZE=2", "MASTER_PORT=" + port}});
  };
  const auto first = start("0", "long"), second = start("1", "short");
  EXPECT_EQ(second->wait().exit_code, 2);
  const auto of_first = first->wait();
  EXPECT_EQ(of_first.exit_code, 2);
  EXPECT_THAT(of_first.err, AllOf(HasSubstr("checkpoint.step"), HasSubstr("run folder"), Not(HasSubstr("batches"))));
}

TEST_F(ProcessesTest, AnyAddressOfTheLoopbackInterfaceIsTheSame) {
  const auto port = std::to_string(free_port());
  const auto start = [&](const char* rank, const char* address) {
    return std::make_unique<Process>(
        run_.training(std::string("run") + address),
        Streams{.launcher = {"env", std::string("RANK=") + rank, "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=2",
                             std::string("MASTER_ADDR=") + address, "MASTER_PORT=" + port}});
  };
  for (const auto* address : {"127.0.1.1", ""}) {
    const auto first = start("0", address), second = start("1", address);
    for (auto* process : {first.get(), second.get()}) {
      const auto done = process->wait();
      EXPECT_EQ(done.exit_code, 0) << done.err;
    }
  }
}

TEST_F(ProcessesTest, ASignalEndsTheWaitForProcess0) {
  // Nothing listens at port 1.
  Process run(run_.training("run"),
              Streams{.launcher = {"env", "RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=1"}});
  run.wait_for_error("waiting for process 0");
  EXPECT_TRUE(run.running());
  run.signal(SIGTERM);
  EXPECT_EQ(run.wait().exit_code, 143);
}

TEST_F(ProcessesTest, LocalProcessesStayOnTheLoopbackInterface) {
  const EnvironmentVariable interface("GLOO_SOCKET_IFNAME", "none-such");
  const auto done = train("run", 2, 1, {"--set", "training.max_steps=1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

TEST_F(ProcessesTest, ErrorsAreReportedOnce) {
  const auto wrong = train("run", 3, 1, {"--set", "model.heads=3"});
  EXPECT_EQ(wrong.exit_code, 2);
  const auto first = wrong.err.find("gloss: ");
  EXPECT_EQ(wrong.err.find("gloss: ", first + 1), std::string::npos) << wrong.err;
  EXPECT_THAT(wrong.out, IsEmpty());
  ASSERT_EQ(train("used", 1, 1, {"--set", "training.max_steps=1"}).exit_code, 0);
  const auto used = train("used", 3, 1);
  EXPECT_EQ(used.exit_code, 2);
  EXPECT_THAT(used.err, AllOf(HasSubstr("an earlier run is in this folder"), Not(HasSubstr("has ended"))));
  const auto many = train("run", 5, 1);
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_THAT(many.err, HasSubstr("training.shards: wanted at least one for each of the 5 processes, got 4"));
}

}  // namespace
}  // namespace gloss
