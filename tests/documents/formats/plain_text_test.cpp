#include "documents/formats/plain_text.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/documents/model/markup_helpers.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<PassageReader> reader_of(std::string text, SentenceMode mode) {
  return read_plain_text(DocumentInput::of(std::move(text), "a.txt"), {}, mode);
}

TEST(PlainTextTest, LinesAreUnits) {
  const auto passage = reader_of("One. Two.\n\n  three \r\n12\nfour", SentenceMode::kParagraph)->next();
  ASSERT_TRUE(passage);
  EXPECT_THAT(marked_units(*passage), ElementsAre("One. Two.", "  three", "four"));
  EXPECT_EQ(passage->units[1].id, "line 3");
  EXPECT_EQ(passage->units[1].mode, SentenceMode::kParagraph);
  EXPECT_EQ(rendered_passage(*passage, shouted), "ONE. TWO.\n\n  THREE \r\n12\nFOUR");
}

TEST(PlainTextTest, ParagraphsAreUnitsOfWrappedText) {
  const auto passage = reader_of("one\ntwo\n \n\nthree\r\nfour\r\n", SentenceMode::kWrapped)->next();
  ASSERT_TRUE(passage);
  EXPECT_THAT(marked_units(*passage), ElementsAre("one\ntwo", "three\r\nfour"));
  EXPECT_EQ(passage->units[1].id, "line 5");
}

TEST(PlainTextTest, PassagesAreBounded) {
  for (const auto mode : {SentenceMode::kLine, SentenceMode::kWrapped}) {
    for (const std::string line : {"a line\n", "a line.\n", "\n", "a word and no line end ", "a\n\n"}) {
      std::string text;
      while (text.size() < 1'000'000) text += line;
      const auto reader = reader_of(text, mode);
      std::size_t passages = 0, largest = 0;
      std::string joined;
      while (const auto passage = reader->next()) {
        ++passages;
        largest = std::max(largest, passage->bytes.size());
        joined += passage->bytes;
      }
      EXPECT_EQ(joined, text);
      EXPECT_LE(largest, (std::size_t{1} << 20) + DocumentInput::kMaxLineBytes);
      const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
      if (mode == SentenceMode::kLine) {
        EXPECT_EQ(passages, std::max<std::size_t>(1, (lines + 99) / 100));
      } else if (line == "a line.\n") {
        EXPECT_LE(largest, std::size_t{66} << 10);
      }
    }
  }
}

TEST(PlainTextTest, RandomTextsKeepAllBytes) {
  std::mt19937 random(6);
  for (int round = 0; round < 500; ++round) {
    const auto text =
        random_document(random, {"word ", "\n", "\r\n", "\r", "\t", "\u00e9", " ", "7", "\n\n", "\u2029"});
    for (const auto mode : {SentenceMode::kLine, SentenceMode::kParagraph, SentenceMode::kWrapped})
      ASSERT_EQ(rendered_document(*reader_of(text, mode), unchanged), text);
  }
}

}  // namespace
}  // namespace gloss
