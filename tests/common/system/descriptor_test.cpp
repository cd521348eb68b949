#include "common/system/descriptor.h"

#include <array>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) != -1; }

TEST(DescriptorTest, LastOwnerClosesTheDescriptor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  {
    Descriptor first(ends[0]);
    Descriptor second(std::move(first));
    EXPECT_FALSE(first.is_open());
    EXPECT_EQ(second.get(), ends[0]);
    Descriptor other(ends[1]);
    second = std::move(other);
    EXPECT_FALSE(is_open(ends[0]));
    EXPECT_TRUE(is_open(ends[1]));
  }
  EXPECT_FALSE(is_open(ends[1]));
  EXPECT_FALSE(Descriptor(ends[1]).close());
}

TEST(OpenRegularFileTest, RefusesOtherFileTypesWithoutWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(open_regular_file(folder / "fifo"));
  EXPECT_FALSE(open_regular_file("/dev/zero"));
  EXPECT_FALSE(open_regular_file(folder.path()));
  EXPECT_THAT([&] { open_regular_file(folder / "absent"); },
              ThrowsMessage<IoError>(HasSubstr("absent: cannot open: No such file or directory")));
}

TEST(OpenRegularFileTest, ReturnsTheSize) {
  const TemporaryFolder folder;
  write_file(folder / "file", "12345");
  const auto file = open_regular_file(folder / "file");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size, 5U);
  std::array<std::byte, 8> bytes{};
  EXPECT_EQ(read_up_to(file->descriptor, bytes, "file"), 5U);
  EXPECT_EQ(std::memcmp(bytes.data(), "12345", 5), 0);
}

TEST(OpenRegularFileTest, IsReadFromAnyByteOn) {
  const TemporaryFolder folder;
  write_file(folder / "file", "12345");
  const auto file = open_regular_file(folder / "file");
  ASSERT_TRUE(file);
  std::array<std::byte, 2> bytes{};
  for (const auto& [offset, text] : {std::pair(3U, "45"), std::pair(1U, "23"), std::pair(4U, "5"), std::pair(9U, "")}) {
    EXPECT_EQ(read_up_to(file->descriptor, offset, bytes, "file"), std::strlen(text));
    EXPECT_EQ(std::memcmp(bytes.data(), text, std::strlen(text)), 0);
  }
}

TEST(WriteAllTest, SignalsAndShortTransfersLoseNoData) {
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, &before);
  const itimerval every_millisecond{{0, 1'000}, {0, 1'000}};
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  std::vector<std::byte> sent(16U << 20), received(sent.size() + 1);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 31 >> 3);

  std::size_t size = 0;
  ::setitimer(ITIMER_REAL, &every_millisecond, nullptr);
  {
    const std::jthread thread([&] { size = read_up_to(reader, received, "pipe"); });
    EXPECT_TRUE(write_all(writer, sent));
    writer.close();
  }
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  ASSERT_EQ(size, sent.size());
  received.pop_back();
  EXPECT_TRUE(received == sent);
}

TEST(WriteAllTest, ReportsAFullDisk) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const std::array<std::byte, 1> byte{};
  EXPECT_FALSE(write_all(full, byte));
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace gloss
