#include "tokenizer/word_separation.h"

#include <string>

#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

std::string varint_field(int number, int value) { return {static_cast<char>(number << 3), static_cast<char>(value)}; }

std::string bytes_field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

constexpr int kBpe = 2, kUnigram = 1, kWord = 3, kCharacter = 4;
constexpr int kNormal = 1, kUserDefined = 4, kUnused = 5;

std::string piece(const std::string& text, int type = kNormal) {
  return bytes_field(1, bytes_field(1, text) + varint_field(3, type));
}

const std::string kMark = "\u2581";

std::string model(int segmentation, const std::string& normalizer, const std::string& pieces) {
  return pieces + bytes_field(2, varint_field(3, segmentation)) + bytes_field(3, normalizer);
}

TEST(WordSeparationTest, DependsOnTheKindOfModel) {
  const auto name = bytes_field(1, "nmt_nfkc"), pieces = piece(kMark) + piece("a") + piece(kMark + "a");
  EXPECT_TRUE(separates_words(model(kBpe, name, pieces)));
  EXPECT_TRUE(separates_words(model(kCharacter, name, pieces)));
  EXPECT_FALSE(separates_words(model(kUnigram, name, pieces)));
  EXPECT_FALSE(separates_words(model(kWord, name, pieces)));
}

TEST(WordSeparationTest, APieceMayNotReachAcrossASpace) {
  const auto name = bytes_field(1, "nmt_nfkc"), pieces = piece(kMark) + piece("a");
  for (const auto& text : {"a" + kMark, kMark + kMark, "a" + kMark + "a", kMark + "a" + kMark})
    EXPECT_FALSE(separates_words(model(kBpe, name, pieces + piece(text)))) << text;
  EXPECT_FALSE(separates_words(model(kBpe, name, pieces + piece("b", kUserDefined))));
  EXPECT_FALSE(separates_words(model(kBpe, name, pieces + piece("b", kUnused))));
  EXPECT_FALSE(separates_words(model(kBpe, name, piece("a")))) << "without a piece for the space";
}

TEST(WordSeparationTest, SpacesMustBeTreatedAsUsual) {
  const auto pieces = piece(kMark) + piece("a");
  EXPECT_TRUE(separates_words(model(kBpe, bytes_field(1, "identity"), pieces)));
  EXPECT_FALSE(separates_words(model(kBpe, bytes_field(1, "user_defined"), pieces)));
  for (const int flag : {3, 4, 5})
    EXPECT_FALSE(separates_words(model(kBpe, bytes_field(1, "identity") + varint_field(flag, 0), pieces))) << flag;
  EXPECT_FALSE(separates_words(pieces + bytes_field(2, varint_field(3, kBpe)))) << "without a normalizer";
}

TEST(WordSeparationTest, OtherBytesAreNoModel) { EXPECT_THROW(separates_words("\x0a\x7f"), ModelError); }

}  // namespace
}  // namespace gloss
