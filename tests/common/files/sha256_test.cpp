#include "common/files/sha256.h"

#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

// The examples published by NIST with FIPS 180-4.
TEST(Sha256Test, GivesTheKnownAnswers) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, SumDoesNotDependOnTheParts) {
  const std::string text(1'000, 'x');
  Sha256 sum;
  for (std::size_t begin = 0, size = 1; begin < text.size(); begin += size++) sum.update(text.substr(begin, size));
  EXPECT_EQ(sum.hex(), sha256(text));
}

TEST(Sha256Test, AFileHasTheSumOfItsBytes) {
  const TemporaryFolder folder;
  const std::string text(3'000'000, 'x');  // several reads
  for (const auto& bytes : {text, std::string()}) {
    std::ofstream(folder / "file", std::ios::binary) << bytes;
    EXPECT_EQ(sha256_of_file(folder / "file"), sha256(bytes));
  }
  EXPECT_THROW(sha256_of_file(folder / "absent"), IoError);
  EXPECT_THROW(sha256_of_file(folder.path()), IoError);
}

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
