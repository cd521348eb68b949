#include "tokenizer/sentencepiece_library.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(SentencePieceLogTest, MessagesLackThePlaceInTheSources) {
  EXPECT_EQ(sentencepiece_message("Internal: src/a.cc(12) [(x) == (y)] Too small. "), "Too small. ");
  EXPECT_EQ(sentencepiece_message("Internal: src/b.cc(3) LOG(ERROR) Bad \x1b[1m"), "LOG(ERROR) Bad \\x1b[1m");
  EXPECT_EQ(sentencepiece_message("src/c.cc(7) [!pieces.empty()] "), "[!pieces.empty()] ");
  for (const auto* message : {"", "Not found: a", "a.cc", "[a] b.cc(1"})
    EXPECT_FALSE(sentencepiece_message(message).find("cc(") == 0) << message;
}

}  // namespace
}  // namespace gloss
