#include "common/files/sha256.h"

#include <fstream>

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

}  // namespace
}  // namespace gloss
