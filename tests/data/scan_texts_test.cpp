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
  auto texts = scan_texts(files.source(), files.target(),
                          {.size = true, .hold_out = true, .sample_lines = 10, .before_pair = [&] { ++calls; }});
  EXPECT_EQ(texts.source.lines, 4);
  EXPECT_EQ(texts.target.lines, 5);
  EXPECT_THAT(texts.source.invalid.first_lines, ElementsAre(3));
  EXPECT_EQ(texts.source.sha256, sha256(source));
  EXPECT_EQ(texts.target.sha256, sha256(target));
  EXPECT_EQ(texts.size->pairs, 2);
  EXPECT_EQ(texts.size->words, 6);
  EXPECT_EQ(texts.held_out->pairs_of_text(), 2);
  EXPECT_THAT(lines_of(*texts.source.sample), ElementsAre("a b", "c"));
  EXPECT_THAT(lines_of(*texts.target.sample), ElementsAre("A", "B", "C", "D E", "F"));
  EXPECT_LE(calls, 6) << "one pass";
}

TEST(ScanTextsTest, ReturnsOnlyRequestedResults) {
  const CorpusFiles files("a\n", "b\n");
  const auto texts = scan_texts(files.source(), files.target(), {});
  EXPECT_FALSE(texts.size);
  EXPECT_FALSE(texts.held_out);
  EXPECT_FALSE(texts.source.sample);
}

TEST(ScanTextsTest, TextsThatCannotBeTrainedOnAreRefused) {
  const auto refused = [](const std::string& source, const std::string& target, const std::string& message) {
    const CorpusFiles files(source, target);
    const auto texts = scan_texts(files.source(), files.target(), {});
    EXPECT_THAT([&] { expect_aligned(texts); }, ThrowsMessage<DataError>(HasSubstr(message)));
  };
  refused("a\n", "b\nc\n", "lines of equal number belong together");
  refused("", "", "got empty files");
  refused("\xff\n", "a\n", "wanted UTF-8, got 1 of 1 lines with other bytes (first lines: 1)");
  const CorpusFiles files("a\n", "b\n");
  EXPECT_NO_THROW(expect_aligned(scan_texts(files.source(), files.target(), {})));
}

}  // namespace
}  // namespace gloss
