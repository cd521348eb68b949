// A signal ends every command with its exit code, whatever the command waits for.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/descriptor.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

/// A named pipe of one page, full where anything is in it. Both of its ends are open, so nobody waits in opening it.
class NamedPipe {
 public:
  explicit NamedPipe(std::string path) : path_(std::move(path)) {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
    descriptor_ = Descriptor(::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ::fcntl(descriptor_.get(), F_SETPIPE_SZ, 4096);
  }

  const std::string& path() const { return path_; }
  bool is_full() const {
    int bytes = 0;
    return ::ioctl(descriptor_.get(), FIONREAD, &bytes) == 0 && bytes > 0;
  }
  std::string read() const {
    std::string text(1 << 20, '\0');
    const auto got = ::read(descriptor_.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }

 private:
  std::string path_;
  Descriptor descriptor_;
};

class SignalsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = new SmallRun;
    model_ = run_->untrained_model();
  }
  static void TearDownTestSuite() { delete run_; }

  /// Until the program catches signals and sleeps whenever one looks: it waits for a stream.
  static void wait_until_it_waits(Process& process) {
    const auto waits = [&] {
      std::ifstream status("/proc/" + std::to_string(process.id()) + "/status");
      bool sleeps = false, catches = false;
      for (std::string key, value; status >> key >> value;) {
        if (key == "State:") sleeps = value == "S";
        if (key == "SigCgt:") catches = (std::stoull(value, nullptr, 16) >> (SIGTERM - 1) & 1) == 1;
      }
      return sleeps && catches;
    };
    for (int looks = 0; looks < 10 && process.running(); looks = waits() ? looks + 1 : 0) look_again_later();
  }
  static void look_again_later() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
  /// stdout and stderr go into the pipe, which nobody reads.
  static Streams into(const NamedPipe& pipe) {
    return {.launcher = {"sh", "-c", "exec \"$0\" \"$@\" > \"" + pipe.path() + "\" 2>&1"}};
  }
  static void wait_until_full(const NamedPipe& pipe, Process& process) {
    while (!pipe.is_full() && process.running()) look_again_later();
    wait_until_it_waits(process);
  }

  static inline SmallRun* run_;
  static inline std::string model_;
};

TEST_F(SignalsTest, TranslateEndsWhileNobodyReadsAndItsLinesAreWhole) {
  const Arguments translating = {"translate", "--model", model_,         "--quiet", "--beam",       "1",
                                 "--threads", "1",       "--min-length", "50",      "--max-length", "50"};
  const auto line = lines_of(run_gloss(translating, "bada kilo\n").out).at(0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const NamedPipe pipe(*run_ / ("out" + std::to_string(signal)));
    Process process(translating, into(pipe));
    std::string lines;
    for (int i = 0; i < 1000; ++i) lines += "bada kilo\n";
    process.write(lines);
    wait_until_full(pipe, process);
    process.signal(signal);
    EXPECT_EQ(process.wait().exit_code, signal == SIGINT ? 130 : 143);
    const auto text = pipe.read();
    EXPECT_TRUE(text.ends_with('\n'));
    EXPECT_THAT(lines_of(text), Each(line));
  }
}

TEST_F(SignalsTest, ScoreEndsWhileItWaitsForItsInput) {
  const NamedPipe source(*run_ / "source");
  Process process({"score", "--model", model_, "--source", source.path(), "--target", run_->corpus("test.target")});
  wait_until_it_waits(process);
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 143);
}

// Nobody has opened the pipe for writing.
TEST_F(SignalsTest, ScoreEndsWhileItOpensItsInput) {
  const auto source = *run_ / "unopened";
  ASSERT_EQ(::mkfifo(source.c_str(), 0600), 0);
  Process process({"score", "--model", model_, "--source", source, "--target", run_->corpus("test.target")});
  wait_until_it_waits(process);
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().exit_code, 130);
}

TEST_F(SignalsTest, CommandsThatSaveNothingEndWithTheCodeOfTheSignal) {
  const NamedPipe lines(*run_ / "lines");
  Process process({"evaluate", "--hypothesis", lines.path(), "--reference", run_->corpus("test.target")});
  wait_until_it_waits(process);
  process.signal(SIGHUP);
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST_F(SignalsTest, TrainingSavesWhereNobodyReadsItsMessages) {
  const NamedPipe messages(*run_ / "messages");
  Process process(run_->training("unread", {"--set", "training.max_steps=1000000", "--set", "training.validate_every=1",
                                            "--set", "training.save_every=1000000"}),
                  into(messages));
  const auto log = *run_ / "unread" / "log.jsonl";
  while (read_text(log).find("validation") == std::string::npos && process.running()) messages.read();
  wait_until_full(messages, process);
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 143);
  EXPECT_FALSE(std::filesystem::is_empty(*run_ / "unread" / "checkpoints"));
}

TEST_F(SignalsTest, ALogThatNobodyReadsHoldsUpNoTraining) {
  const NamedPipe log(*run_ / "log");
  const auto outcome =
      run_gloss(run_->training("logged", {"--log-json", log.path(), "--quiet", "--set", "training.validate_every=1"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning: " + log.path() + ": the pipe is full and no process reads it"),
                                 HasSubstr("events were dropped\n")));
}

}  // namespace
}  // namespace gloss
