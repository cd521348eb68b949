#include "app/input/line_source.h"

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/support/gzip_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LineSourceTest : public testing::Test {
 protected:
  LineSourceTest() {
    if (::pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
  }
  ~LineSourceTest() override {
    close_input();
    ::close(ends_[0]);
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const auto written = ::write(ends_[1], text.data(), text.size());
      ASSERT_GT(written, 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close_input() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  int input() const { return ends_[0]; }
  int waiting_bytes() const {
    int bytes = 0;
    return ::ioctl(ends_[0], FIONREAD, &bytes) == 0 ? bytes : 0;
  }

  static std::vector<std::string> texts(const std::vector<TextLine>& lines) {
    std::vector<std::string> result;
    for (const auto& line : lines) result.push_back(line.text);
    return result;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST_F(LineSourceTest, GivesWhatIsThereWithoutWaitingForMore) {
  LineSource source(input(), {"test"});
  write("one\ntwo\nthr");
  EXPECT_THAT(texts(source.next(10)), ElementsAre("one", "two"));
  write("ee\n");
  EXPECT_THAT(texts(source.next(10)), ElementsAre("three"));
}

TEST_F(LineSourceTest, GivesNoMoreThanAskedForAndKeepsTheRest) {
  LineSource source(input(), {"test"});
  write("1\n2\n3\n");
  close_input();
  EXPECT_THAT(texts(source.next(2)), ElementsAre("1", "2"));
  EXPECT_THAT(texts(source.next(2)), ElementsAre("3"));
  EXPECT_THAT(source.next(2), IsEmpty());
}

TEST_F(LineSourceTest, WaitsForALineThatComesInPieces) {
  LineSource source(input(), {"test"});
  write("slow");
  std::thread writer([&] {
    while (waiting_bytes() > 0) std::this_thread::yield();  // until the source has read the first piece
    write("ly\n");
  });
  EXPECT_THAT(texts(source.next(1)), ElementsAre("slowly"));
  writer.join();
}

TEST_F(LineSourceTest, LastLineNeedsNoEndAndEmptyLinesCount) {
  LineSource source(input(), {"test"});
  write("\n\na\n\nlast");
  close_input();
  EXPECT_THAT(texts(source.next(10)), ElementsAre("", "", "a", "", "last"));
}

TEST_F(LineSourceTest, NoInputIsNoLine) {
  LineSource source(input(), {"test"});
  close_input();
  EXPECT_THAT(source.next(10), IsEmpty());
}

TEST_F(LineSourceTest, StripsCrlfAndAByteOrderMarkAtTheBeginningOnly) {
  LineSource source(input(), {"test"});
  write("\xef\xbb\xbfone\r\n\xef\xbb\xbftwo\n\r\na\rb\n\u2028\n");
  EXPECT_THAT(texts(source.next(10)), ElementsAre("one", "\xef\xbb\xbftwo", "", "a\rb", "\u2028"));
}

TEST_F(LineSourceTest, CutsALongLineBetweenCharactersAndGoesOnBehindIt) {
  const auto half = LineSplitter::kMaxLineBytes / 2;
  LineSource source(input(), {"test"});
  std::thread writer([&] {
    std::string line = "x";  // an odd number of bytes before characters of two bytes each
    for (std::size_t i = 0; i < 20 * half; ++i) line += "\u00e9";
    write(line + "\nnext\n");
    close_input();
  });
  std::vector<TextLine> lines;
  for (auto some = source.next(10); !some.empty(); some = source.next(10))
    lines.insert(lines.end(), some.begin(), some.end());
  writer.join();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].cut);
  EXPECT_EQ(lines[0].text.size(), LineSplitter::kMaxLineBytes - 1);
  EXPECT_TRUE(lines[0].text.ends_with("\u00e9"));
  EXPECT_EQ(lines[1].text, "next");
  EXPECT_FALSE(lines[1].cut);
}

TEST_F(LineSourceTest, ALineOfExactlyTheLimitIsWhole) {
  LineSource source(input(), {"test"});
  std::thread writer([&] {
    write(std::string(LineSplitter::kMaxLineBytes, 'x'));
    write("\n");
    close_input();
  });
  const auto lines = source.next(1);
  writer.join();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].cut);
  EXPECT_EQ(lines[0].text.size(), LineSplitter::kMaxLineBytes);
}

TEST_F(LineSourceTest, ReadsGzipAndAColumn) {
  TemporaryFolder folder;
  write_gzip(folder / "text.gz", "one\teins\ntwo\tzwei\n");
  std::ifstream file(folder / "text.gz", std::ios::binary);
  write(std::string(std::istreambuf_iterator<char>(file), {}));
  close_input();
  LineSource source(input(), {"text.gz", 2});
  EXPECT_THAT(texts(source.next(10)), ElementsAre("eins", "zwei"));
  EXPECT_THAT(source.next(10), IsEmpty());
}

}  // namespace
}  // namespace gloss
