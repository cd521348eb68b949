#include "common/files/fingerprint.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

std::uint64_t of(const std::string& bytes) {
  Fingerprint print;
  print.update(std::as_bytes(std::span(bytes)));
  return print.value();
}

TEST(FingerprintTest, AnyFlippedBitChangesIt) {
  const std::string bytes = "The quick brown fox jumps over the lazy dog, and then over another one.";
  std::set<std::uint64_t> seen = {of(bytes)};
  for (std::size_t position = 0; position < bytes.size(); ++position)
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = bytes;
      changed[position] = static_cast<char>(changed[position] ^ (1 << bit));
      EXPECT_TRUE(seen.insert(of(changed)).second) << position << ", bit " << bit;
    }
}

TEST(FingerprintTest, OrderMatters) {
  const std::string a(8, 'a'), b(8, 'b'), rest(24, 'c');
  EXPECT_NE(of(a + b), of(b + a));
  EXPECT_NE(of(a + rest + b), of(b + rest + a));
}

TEST(FingerprintTest, PartsDoNotMatter) {
  const std::string bytes(200, 'x');
  for (const std::size_t part : {64U, 128U, 192U}) {
    Fingerprint print;
    print.update(std::as_bytes(std::span(bytes)).first(part));
    print.update(std::as_bytes(std::span(bytes)).subspan(part));
    EXPECT_EQ(print.value(), of(bytes)) << part;
  }
}

}  // namespace
}  // namespace gloss
