#include "tokenizer/cached_encoder.h"

#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/word_separation.h"

namespace gloss {
namespace {

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
