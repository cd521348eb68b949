#include "data/scan_texts.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/sha256.h"
#include "tests/data/letter_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> lines_of(TrainingSample& sample) {
  std::vector<std::string> lines;
  for (std::string line; sample.take(line);) lines.push_back(line);
  return lines;
}

TEST(ScanTextsTest, OnePassGivesAllResults) {
  const std::string source = "a b\n\n\xff\nc\n", target = "A\nB\nC\nD E\nF\n";
  const CorpusFiles files(source, target);
  int calls = 0;
  auto texts = scan_texts(TextFiles{files.source(), files.target()},
                          {.size = true, .hold_out = true, .sample_lines = 10, .before_pair = [&] { ++calls; }});
  auto& [source_text, target_text, alignment] = texts.texts.at(0);
  EXPECT_EQ(source_text.lines, 4);
  EXPECT_EQ(target_text.lines, 5);
  EXPECT_THAT(source_text.invalid.first_lines, ElementsAre(3));
  EXPECT_EQ(source_text.sha256, sha256(source));
  EXPECT_EQ(target_text.sha256, sha256(target));
  EXPECT_EQ(texts.size->pairs, 2);
  EXPECT_EQ(texts.size->words, 6);
  EXPECT_EQ(texts.held_out->pairs_of_text(), 2);
  EXPECT_THAT(lines_of(*source_text.sample), ElementsAre("a b", "c"));
  EXPECT_THAT(lines_of(*target_text.sample), ElementsAre("A", "B", "C", "D E", "F"));
  EXPECT_LE(calls, 6) << "one pass";
}

TEST(ScanTextsTest, ReturnsOnlyRequestedResults) {
  const CorpusFiles files("a\n", "b\n");
  const auto texts = scan_texts(TextFiles{files.source(), files.target()}, {});
  EXPECT_FALSE(texts.size);
  EXPECT_FALSE(texts.held_out);
  EXPECT_FALSE(texts.texts.at(0).source.sample);
}

TEST(ScanTextsTest, SizesAndHeldOutPairsAreThoseOfAllTexts) {
  std::string numbers;
  for (int i = 0; i < 600; ++i) numbers += std::to_string(i) + '\n';
  const CorpusFiles a("a\nb c\n", "A\nB\n"), b(numbers, numbers);
  const std::vector texts{TextFiles{a.source(), a.target()}, TextFiles{b.source(), b.target()}};
  auto scanned = scan_texts(texts, {.size = true, .hold_out = true, .sample_lines = 100});
  EXPECT_EQ(scanned.size->pairs, 602);
  EXPECT_EQ(scanned.size->words, 5 + 1200);
  EXPECT_EQ(scanned.held_out->pairs_of_text(), 602);
  EXPECT_EQ(scanned.held_out->sources().size(), 50u);
  EXPECT_EQ(scanned.texts[1].source.sha256, sha256(numbers));
  EXPECT_THAT(lines_of(*scanned.texts[0].source.sample), ElementsAre("a", "b c"));
  EXPECT_FALSE(scanned.texts[1].source.sample->complete()) << "98 lines are left of 100";
  EXPECT_EQ(scanned.texts[1].source.sample->lines(), 600);
  EXPECT_TRUE(scan_texts(texts, {.sample_lines = 602}).texts[1].source.sample->complete());
}

TEST(ScanTextsTest, TextsThatCannotBeTrainedOnAreRefused) {
  const auto refused = [](const std::string& source, const std::string& target, const std::string& message) {
    const CorpusFiles files(source, target);
    const auto texts = scan_texts(TextFiles{files.source(), files.target()}, {});
    EXPECT_THAT([&] { expect_aligned(texts); }, ThrowsMessage<DataError>(HasSubstr(message)));
  };
  refused("a\n", "b\nc\n", "line n of one must belong to line n of the other");
  refused("", "", "got empty files");
  refused("\xff\n", "a\n", "wanted UTF-8, got 1 of 1 lines with other bytes (first lines: 1)");
  const CorpusFiles files("a\n", "b\n");
  EXPECT_NO_THROW(expect_aligned(scan_texts(TextFiles{files.source(), files.target()}, {})));
}

}  // namespace
}  // namespace gloss
