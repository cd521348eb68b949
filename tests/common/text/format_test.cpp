#include "common/text/format.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

TEST(FormattedTest, FormatsLikePrintfWithAnyLength) {
  EXPECT_EQ(formatted("%s", ""), "");
  EXPECT_EQ(formatted("%.*f and %5d%%", 2, 1.005, 7), "1.00 and     7%");
  EXPECT_EQ(formatted("%.400f", 1.0), "1." + std::string(400, '0'));
  const std::string text(100'000, 'x');
  EXPECT_EQ(formatted("%s.", text.c_str()), text + ".");
}

TEST(FormattedTest, BytesAreMebibytes) {
  EXPECT_EQ(bytes_text(0), "0.0 KiB");
  EXPECT_EQ(bytes_text(5'000), "4.9 KiB");
  EXPECT_EQ(bytes_text((123 << 20) + (1 << 19)), "123.5 MiB");
  EXPECT_EQ(short_bytes_text((9 << 20) + (1 << 19)), "9.5 MiB");
  EXPECT_EQ(short_bytes_text((123 << 20) + (1 << 18)), "123 MiB");
}

TEST(NumberTextTest, HasFewDigitsHoweverLargeTheNumber) {
  EXPECT_EQ(number_text(7.389), "7.39");
  EXPECT_EQ(number_text(1, 4), "1.0000");
  EXPECT_EQ(number_text(999'999.25), "999999.25");
  EXPECT_EQ(number_text(3.0541358e135), "3.05e+135");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(CountedTest, TheNounFollowsTheNumber) {
  EXPECT_EQ(counted(0, "line"), "0 lines");
  EXPECT_EQ(counted(std::size_t{1}, "sentence pair"), "1 sentence pair");
  EXPECT_EQ(counted(std::int64_t{1} << 40, "sentence pair"), "1099511627776 sentence pairs");
  EXPECT_EQ(counted(1, "process"), "1 process");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(2, "batch"), "2 batches");
  EXPECT_EQ(counted(3, "epoch"), "3 epochs");
}

TEST(NotedLinesTest, CountsAllAndStoresTheFirstFive) {
  NotedLines lines;
  lines.note(3);
  EXPECT_EQ(lines.text(), "first lines: 3");
  for (const int line : {7, 9, 10, 12, 15, 400}) lines.note(line);
  EXPECT_EQ(lines.count, 7);
  EXPECT_EQ(lines.text(), "first lines: 3, 7, 9, 10, 12");
}

TEST(LineCountsTest, MessageHasBothNamesAndNumbers) {
  EXPECT_NO_THROW(expect_equal_lines("a", 3, "b", 3));
  EXPECT_THAT(
      [] { expect_equal_lines("a\x1b", 3, "b", 4); },
      testing::ThrowsMessage<DataError>("a\\x1b has 3 lines, b 4; line n of one must belong to line n of the other"));
}

TEST(ShellQuotedTest, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_quoted("runs/x-1.json"), "runs/x-1.json");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quoted(""), "''");
}

// The examples of RFC 4648, section 10.
TEST(Base64Test, TheStandardsExamples) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, AnyByteIsEncodedInOneLine) {
  EXPECT_EQ(base64(std::string_view("\0\xff\xfe", 3)), "AP/+");
  EXPECT_EQ(base64(std::string(300, 'a')).size(), 400u);
  EXPECT_EQ(base64(std::string(300, 'a')).find('\n'), std::string::npos);
}

TEST(Base64Test, TheBytesComeBack) {
  for (std::size_t size = 0; size < 260; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(size + 37 * i);
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
  }
  for (const auto* other : {"Z", "Zg", "Zg=", "Z===", "====", "Zm9v!", "Zm-v"})
    EXPECT_EQ(from_base64(other), std::nullopt);
}

}  // namespace
}  // namespace gloss
