#include "common/files/mapped_file.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

constexpr std::size_t kPages = 1 << 16;  // bytes: several pages of any size

std::optional<std::string> text_of(const MappedFile& file, std::uint64_t offset, std::uint64_t bytes) {
  std::string text(bytes, '?');
  if (!file.read(offset, std::as_writable_bytes(std::span(text)))) return std::nullopt;
  return text;
}

std::optional<std::string> text_of(const MappedFile& file) { return text_of(file, 0, file.size()); }

// A file of one repeated letter that is truncated after mapping.
MappedFile cut_short(const std::filesystem::path& path, std::size_t size) {
  std::ofstream(path) << std::string(2 * kPages, 'x');
  MappedFile file(open_regular_file(path)->descriptor, "file");
  EXPECT_EQ(text_of(file), std::string(2 * kPages, 'x'));
  std::filesystem::resize_file(path, size);
  return file;
}

TEST(MappedFileTest, KeepsTheBytesOfAReplacedFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "some text";
  const MappedFile file(open_regular_file(folder / "file")->descriptor, "file");
  EXPECT_EQ(text_of(file), "some text");
  std::ofstream(folder / "other") << "other";
  std::filesystem::rename(folder / "other", folder / "file");
  EXPECT_EQ(text_of(file), "some text");
}

TEST(MappedFileTest, SupportsEmptyFilesAndMoves) {
  const TemporaryFolder folder;
  std::ofstream(folder / "empty");
  EXPECT_EQ(MappedFile(open_regular_file(folder / "empty")->descriptor, "empty").size(), 0u);
  const auto memory = open_memory_file();
  ASSERT_TRUE(write_all(memory, std::as_bytes(std::span("abc", 3))));
  MappedFile first(memory, "memory"), second;
  second = std::move(first);
  EXPECT_EQ(text_of(second), "abc");
  EXPECT_EQ(text_of(MappedFile(std::move(second))), "abc");
}

TEST(MappedFileTest, RefusesReadsOutsideTheFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "some text";
  const MappedFile file(open_regular_file(folder / "file")->descriptor, "file");
  EXPECT_EQ(text_of(file, 5, 4), "text");
  EXPECT_EQ(text_of(file, 9, 0), "");
  EXPECT_FALSE(text_of(file, 5, 5));
  EXPECT_FALSE(text_of(file, 10, 0));
  EXPECT_FALSE(text_of(file, ~std::uint64_t{0}, 2));
  EXPECT_FALSE(text_of(MappedFile(), 0, 1));
}

TEST(MappedFileTest, ReadOfTruncatedPartFailsWithoutKillingTheProcess) {
  if (kBlocksSignalsInHandlers) GTEST_SKIP() << "the second lost page would end the process";
  const TemporaryFolder folder;
  const auto file = cut_short(folder / "file", kPages);
  EXPECT_EQ(file.size(), 2 * kPages);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(text_of(file));
    EXPECT_FALSE(text_of(file, kPages, 1));
    EXPECT_EQ(text_of(file, 0, kPages), std::string(kPages, 'x'));
  }
}

TEST(MappedFileTest, FailedReadsOfThreadsAreIndependent) {
  if (kBlocksSignalsInHandlers) GTEST_SKIP() << "the second lost page would end the process";
  const TemporaryFolder folder;
  const auto whole = cut_short(folder / "whole", 2 * kPages), cut = cut_short(folder / "cut", 0);
  std::vector<std::thread> threads;
  std::atomic<int> read = 0, lost = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, is_whole = i % 2 == 0] {
      for (int turn = 0; turn < 500; ++turn) (text_of(is_whole ? whole : cut, kPages - 5, 10) ? read : lost)++;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(read, 1000);
  EXPECT_EQ(lost, 1000);
}

TEST(MappedFileTest, OtherBusErrorsEndTheProcess) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer handles the signal";
  const TemporaryFolder folder;
  const auto file = cut_short(folder / "file", kPages);
  EXPECT_FALSE(text_of(file));
  EXPECT_EXIT(::raise(SIGBUS), testing::KilledBySignal(SIGBUS), "");
  EXPECT_TRUE(text_of(file, 0, kPages));
  EXPECT_EXIT(::raise(SIGBUS), testing::KilledBySignal(SIGBUS), "");
}

TEST(MappedFileTest, FailedMappingIsAnIoError) { EXPECT_THROW(MappedFile(Descriptor(), "nothing"), IoError); }

}  // namespace
}  // namespace gloss
