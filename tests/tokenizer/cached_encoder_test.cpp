#include "tokenizer/cached_encoder.h"

#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_tokenizer.h"

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

// Parts of words and spaces that a normalization changes, drops or joins, and text without a piece.
constexpr std::array<std::string_view, 30> kParts{
    " ",      " ",      "  ",           "the",    "Katze",   "ab",     ".",      "\u00a0", "\u3000",       "\u200b",
    "\u0308", "\u00a8", "\u1e9b\u0323", "\u2581", "\t",      "\u00bd", "\ufdfa", "\ufeff", "\u4e2d\u6587", "\U0001f600",
    "\u00ad", "\r",     "<s>",          "\u00fc", "u\u0308", "\u3099", "\u304b", "\uff76", "\uff9e",       "?"};

std::string random_line(std::uint32_t& state) {
  std::string line;
  for (std::uint32_t parts = (state >> 8) % 20; parts > 0; --parts) {
    state = state * 1664525 + 1013904223;
    line += kParts[(state >> 10) % kParts.size()];
  }
  state = state * 1664525 + 1013904223;
  return line;
}

TEST(CachedEncoderTest, GivesTheIdsOfTheTokenizer) {
  std::uint32_t state = 1;
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kChar, TokenizerType::kUnigram})
    for (const auto normalization : {Normalization::kNmtNfkc, Normalization::kIdentity})
      for (const bool byte_fallback : {false, true}) {
        auto config = small_config(type);
        config.normalization = normalization;
        config.byte_fallback = byte_fallback;
        if (byte_fallback) config.vocabulary_size += 256;
        const SentencePieceTokenizer tokenizer(train_on(training_text(), config), "m");
        EXPECT_EQ(tokenizer.encodes_words_separately(), type != TokenizerType::kUnigram);
        CachedEncoder encoder(tokenizer);
        for (int i = 0; i < 1000; ++i) {
          const auto line = random_line(state);
          ASSERT_EQ(encoder.encode(line), tokenizer.encode(line)) << line;
        }
      }
}

// Counts how often it is called.
class CountingTokenizer final : public Tokenizer {
 public:
  explicit CountingTokenizer(bool separate) : separate_(separate) {}
  Ids encode(std::string_view line) const override {
    ++calls;
    return Ids(line.size(), 7);
  }
  std::string decode(std::span<const Id>) const override { return {}; }
  std::int64_t vocabulary_size() const override { return 8; }
  bool encodes_words_separately() const override { return separate_; }
  const std::string& serialized() const override { return name_; }

  mutable int calls = 0;

 private:
  bool separate_;
  std::string name_;
};

TEST(CachedEncoderTest, EncodesAWordOnceWhereWordsAreSeparate) {
  const CountingTokenizer separate(true), joined(false);
  CachedEncoder cached(separate), uncached(joined);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cached.encode(" a b  a ").size(), 3u);
    EXPECT_EQ(uncached.encode(" a b  a ").size(), 8u);
  }
  EXPECT_EQ(separate.calls, 2);
  EXPECT_EQ(joined.calls, 3);
}

TEST(CachedEncoderTest, DoesNotKeepLongWords) {
  const CountingTokenizer tokenizer(true);
  CachedEncoder encoder(tokenizer);
  const std::string word(CachedEncoder::kMaxWordBytes + 1, 'x');
  for (int i = 0; i < 3; ++i) EXPECT_EQ(encoder.encode(word).size(), word.size());
  EXPECT_EQ(tokenizer.calls, 3);
}

}  // namespace
}  // namespace gloss
