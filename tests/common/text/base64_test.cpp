#include "common/text/base64.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

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
