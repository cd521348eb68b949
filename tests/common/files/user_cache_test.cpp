#include "common/files/user_cache.h"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

class UserCacheTest : public testing::Test {
 protected:
  UserCache cache(std::uint64_t limit = 1'000'000) const { return UserCache({.folder = place_, .limit = limit}); }
  bool store(const std::string& name, const std::string& text) const {
    return cache().store(name, text.size(), [&](AtomicFile& file) { file.write(text); });
  }
  std::optional<std::string> found(const std::string& name) const {
    const auto file = cache().find(name);
    if (!file) return std::nullopt;
    std::string text(file->size, '\0');
    text.resize(read_up_to(file->descriptor, std::as_writable_bytes(std::span(text)), name));
    return text;
  }

  const TemporaryFolder folder_;
  const fs::path place_ = folder_ / "gloss";
};

TEST_F(UserCacheTest, FindsWhatIsStored) {
  EXPECT_EQ(found("a.cache"), std::nullopt);
  EXPECT_FALSE(fs::exists(place_)) << "a search creates nothing";
  EXPECT_TRUE(store("a.cache", "first"));
  EXPECT_EQ(found("a.cache"), "first");
  EXPECT_TRUE(store("a.cache", "second"));
  EXPECT_EQ(found("a.cache"), "second");
  EXPECT_EQ(fs::status(place_).permissions(), fs::perms::owner_all);
  fs::remove_all(place_);
  EXPECT_EQ(found("a.cache"), std::nullopt);
}

TEST_F(UserCacheTest, DefaultHoldsNothing) {
  const UserCache none;
  EXPECT_FALSE(none.store("a.cache", 0, [](AtomicFile&) {}));
  EXPECT_FALSE(none.find("a.cache"));
  EXPECT_FALSE(none.is_for(1ULL << 40));
}

TEST_F(UserCacheTest, AFolderThatOthersReachIsNotUsed) {
  store("a.cache", "text");
  ASSERT_EQ(::chmod(place_.c_str(), 0750), 0);
  EXPECT_EQ(found("a.cache"), std::nullopt);
  EXPECT_FALSE(store("b.cache", "text"));
  ASSERT_EQ(::chmod(place_.c_str(), 0700), 0);
  EXPECT_EQ(found("a.cache"), "text");
}

TEST_F(UserCacheTest, LinksAreNotFollowed) {
  store("a.cache", "text");
  fs::rename(place_, folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", place_);
  EXPECT_EQ(found("a.cache"), std::nullopt);
  EXPECT_FALSE(store("b.cache", "text"));
  fs::remove(place_);
  fs::rename(folder_ / "elsewhere", place_);

  std::ofstream(folder_ / "other") << "other";
  fs::create_symlink(folder_ / "other", place_ / "b.cache");
  EXPECT_EQ(found("b.cache"), std::nullopt);
  EXPECT_TRUE(store("b.cache", "new"));
  EXPECT_EQ(found("b.cache"), "new");
  EXPECT_EQ(fs::file_size(folder_ / "other"), 5U);
}

TEST_F(UserCacheTest, WhatCannotBeWrittenIsNotStored) {
  std::ofstream(place_) << "a file in the place of the folder";
  EXPECT_FALSE(store("a.cache", "text"));
  EXPECT_EQ(found("a.cache"), std::nullopt);
  fs::remove(place_);
  EXPECT_FALSE(cache(3).store("a.cache", 4, [](AtomicFile&) { FAIL() << "more than the limit"; }));
  EXPECT_FALSE(cache().store("a.cache", 4, [](AtomicFile&) { throw IoError("disk full"); }));
  EXPECT_EQ(found("a.cache"), std::nullopt);
  fs::create_directories(place_ / "b.cache" / "in");
  EXPECT_FALSE(store("b.cache", "text"));
}

TEST_F(UserCacheTest, FilesThatWereNotUsedForTheLongestTimeAreRemoved) {
  const std::string text(10'000, 'x');
  for (const auto* name : {"a.cache", "b.cache", "c.cache", "note.txt"}) {
    store(name, text);
    const timespec hour_ago{::time(nullptr) - 3600, 0}, times[]{hour_ago, hour_ago};
    ASSERT_EQ(::utimensat(AT_FDCWD, (place_ / name).c_str(), times, 0), 0);
  }
  EXPECT_TRUE(found("a.cache"));
  EXPECT_TRUE(found("c.cache"));
  cache(30'000).store("d.cache", 10'000, [&](AtomicFile& file) { file.write(text); });
  EXPECT_FALSE(found("b.cache"));
  for (const auto* name : {"a.cache", "c.cache", "d.cache", "note.txt"}) EXPECT_TRUE(fs::exists(place_ / name)) << name;
}

// On a home of several machines a process number says nothing.
TEST_F(UserCacheTest, TemporaryFilesAreRemovedByTheirAge) {
  store("a.cache", "text");
  const auto parent = std::to_string(::getppid());
  const auto fresh = place_ / ".gloss.4194305-1.tmp", old = place_ / (".gloss." + parent + "-1.tmp"),
             other = place_ / ".notes.1-1.tmp";
  for (const auto& file : {fresh, old, other}) std::ofstream(file) << "x";
  for (const auto& file : {old, other}) {
    const timespec before{::time(nullptr) - 3700, 0}, times[]{before, before};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
  EXPECT_TRUE(store("b.cache", "text"));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(UserCacheTest, ProcessesStoreAtOnce) {
  constexpr int kProcesses = 4, kTimes = 50;
  std::vector<pid_t> processes;
  for (int i = 0; i < kProcesses; ++i) {
    processes.push_back(::fork());
    ASSERT_GE(processes.back(), 0);
    if (processes.back() > 0) continue;
    for (int time = 0; time < kTimes; ++time) {
      store("a.cache", std::string(100'000, static_cast<char>('a' + i)));
      const auto text = found("a.cache").value_or(std::string(100'000, 'a'));
      if (text.size() != 100'000 || text.find_first_not_of(text[0]) != text.npos) ::_exit(1);
    }
    ::_exit(0);
  }
  for (const auto process : processes) {
    int status = -1;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0) << "a file of parts of two";
  }
  EXPECT_EQ(found("a.cache").value().size(), 100'000U);
}

TEST_F(UserCacheTest, TheEnvironmentNamesTheFolderAndTheLimit) {
  std::vector<std::pair<const char*, std::optional<std::string>>> before;
  for (const auto* name : {"XDG_CACHE_HOME", "HOME", "GLOSS_CACHE_MIB"}) {
    const char* const value = std::getenv(name);
    before.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
  }
  ::unsetenv("GLOSS_CACHE_MIB");
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(UserCache::of_user().settings().folder, "/x/gloss");
  EXPECT_EQ(UserCache::of_user().settings().limit, 8192ULL << 20);
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(UserCache::of_user().settings().folder, "/h/.cache/gloss");
  ::setenv("GLOSS_CACHE_MIB", "3", 1);
  EXPECT_EQ(UserCache::of_user().settings().limit, 3ULL << 20);
  ::setenv("GLOSS_CACHE_MIB", "0", 1);
  EXPECT_FALSE(UserCache::of_user().is_for(1ULL << 40));
  for (const auto* wrong : {"", "-1", "many", "3 ", "99999999999999999999"}) {
    ::setenv("GLOSS_CACHE_MIB", wrong, 1);
    EXPECT_THROW(UserCache::of_user(), UsageError) << wrong;
  }
  ::unsetenv("GLOSS_CACHE_MIB");
  ::unsetenv("HOME");
  EXPECT_FALSE(UserCache::of_user().is_for(1ULL << 40));
  for (const auto& [name, value] : before) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
}

}  // namespace
}  // namespace gloss
