#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/app/support/small_run.h"
#include "tests/faults/faulty_run.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::ElementsAreArray;

class FaultShimTest : public testing::Test {
 protected:
  /// Lets the probe go one way in an empty folder; its exit code, or minus the signal that killed it.
  int probe(const std::string& way, const FaultSetting& setting = {}) {
    fs::remove_all(place());
    fs::create_directory(place());
    fs::remove(report());
    const FaultEnvironment environment(setting, place(), report());
    const int status = std::system(("exec " GLOSS_FAULT_PROBE " '" + way + "' " + place()).c_str());
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const CountedCall& call : read_calls(report())) names.push_back(call.name);
    return names;
  }
  std::string place() const { return folder_ / "place"; }
  std::string report() const { return folder_ / "report"; }
  std::string file() const { return place() + "/a"; }

  TemporaryFolder folder_;
};

TEST_F(FaultShimTest, EveryCallIsCountedAndCanFailAlone) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> ways = {
      {"plain", {"open", "write", "sync", "close"}},
      {"at", {"open", "write", "sync", "close"}},
      {"large", {"open", "write", "truncate", "write", "close"}},
      {"creat", {"open", "truncate", "close"}},
      {"stream", {"open", "write", "close"}},
      {"stdio", {"open", "close"}},
      {"names", {"open", "close", "link", "rename", "remove", "link", "remove", "mkdir"}},
      {"names at", {"open", "close", "open", "link", "rename", "rename", "remove"}}};
  for (const auto& [way, calls] : ways) {
    SCOPED_TRACE(way);
    EXPECT_EQ(probe(way), 0);
    EXPECT_THAT(names(), ElementsAreArray(calls));
    for (std::size_t at = 1; at <= calls.size(); ++at) {
      EXPECT_EQ(probe(way, {.kind = "EIO", .at = std::int64_t(at)}), 1) << at;
      const auto seen = read_calls(report());
      ASSERT_GE(seen.size(), at);
      for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].fails, i + 1 == at) << i;
    }
  }
}

TEST_F(FaultShimTest, EveryCallOnASocketIsCountedAndCanFailAlone) {
  const std::vector<std::string> calls = {"socket", "bind", "listen",  "option", "socket", "connect",
                                          "accept", "send", "receive", "send",   "receive"};
  EXPECT_EQ(probe("sockets", {.sockets = true}), 0);
  EXPECT_THAT(names(), ElementsAreArray(calls));
  for (const auto* kind : {"network", "closed"}) {
    for (std::size_t at = 1; at <= calls.size(); ++at) {
      EXPECT_EQ(probe("sockets", {.kind = kind, .at = std::int64_t(at), .sockets = true}), 1) << kind << at;
      const auto seen = read_calls(report());
      ASSERT_EQ(seen.size(), at);
      EXPECT_TRUE(seen.back().fails) << kind << at;
    }
  }
  EXPECT_EQ(probe("plain", {.kind = "network", .at = 1, .sockets = true}), 0);
  EXPECT_EQ(probe("sockets", {.kind = "EIO", .at = 1}), 0);
}

TEST_F(FaultShimTest, OtherProcessesAreLeftAlone) {
  EXPECT_EQ(probe("plain", {.kind = "EIO", .at = 1, .process = "starter"}), 1);
  EXPECT_EQ(probe("plain", {.kind = "EIO", .at = 1, .process = "1"}), 0);
  const EnvironmentVariable rank("RANK", "1");
  EXPECT_EQ(probe("plain", {.kind = "EIO", .at = 1, .process = "1"}), 1);
  EXPECT_EQ(probe("plain", {.kind = "EIO", .at = 1, .process = "starter"}), 0);
}

TEST_F(FaultShimTest, OtherFoldersAreLeftAlone) {
  const FaultEnvironment environment({.kind = "EIO", .at = 1, .persistent = true}, folder_ / "pla", report());
  fs::create_directory(place());
  EXPECT_EQ(std::system((GLOSS_FAULT_PROBE " plain " + place()).c_str()), 0);
  EXPECT_FALSE(fs::exists(report()));
}

TEST_F(FaultShimTest, AShortWriteWritesHalfAndATearIsKilledThen) {
  EXPECT_EQ(probe("plain", {.kind = "short", .at = 2}), 1);
  EXPECT_EQ(read_text(file()), "01234");
  EXPECT_EQ(probe("plain", {.kind = "tear", .at = 2}), -SIGKILL);
  EXPECT_EQ(read_text(file()), "01234");
  EXPECT_EQ(probe("plain", {.kind = "kill", .at = 2}), -SIGKILL);
  EXPECT_EQ(read_text(file()), "");
}

TEST_F(FaultShimTest, APowerCutTakesBytesAndNamesThatWereNotFlushed) {
  EXPECT_EQ(probe("unflushed", {.kind = "power", .at = 6}), -SIGKILL);
  EXPECT_FALSE(fs::exists(file())) << "its folder was not flushed";
  EXPECT_EQ(probe("flushed", {.kind = "power", .at = 7}), -SIGKILL);
  EXPECT_EQ(read_text(file()), "0123456789");
  EXPECT_EQ(probe("flushed", {.kind = "kill", .at = 7}), -SIGKILL);
  EXPECT_EQ(read_text(file()), "01234567890123456789");
}

}  // namespace
}  // namespace gloss
