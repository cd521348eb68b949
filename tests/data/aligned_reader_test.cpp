#include "data/aligned_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/letter_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;

TEST(AlignedReaderTest, ReadsToTheEndOfTheLongerText) {
  const CorpusFiles files("a\nb\r\n", "A\n" + std::string(70'000, 'B') + "\nC\n");
  int calls = 0;
  AlignedReader reader(files.source(), files.target(), [&] { ++calls; });
  std::vector<std::string> seen;
  for (LinePair pair; reader.next(pair);)
    seen.push_back((pair.has_source ? pair.source.text + (pair.source.crlf ? "crlf" : "") : "-") + ' ' +
                   (pair.target.cut ? "cut" : pair.target.text));
  EXPECT_THAT(seen, ElementsAre("a A", "bcrlf cut", "- C"));
  EXPECT_EQ(reader.source_lines(), 2);
  EXPECT_EQ(reader.target_lines(), 3);
  EXPECT_TRUE(reader.saw_crlf());
  EXPECT_GE(calls, 3);
}

TEST(AlignedReaderTest, AddsAllBytesToTheSums) {
  const std::string source = "\xef\xbb\xbfone\r\n" + std::string(200'000, 'x'), target = "two\n";
  const CorpusFiles files(source, target);
  AlignedReader::Sums sums;
  AlignedReader reader(files.source(), files.target(), {}, &sums);
  for (LinePair pair; reader.next(pair);) continue;
  EXPECT_EQ(sums.source.hex(), sha256(source));
  EXPECT_EQ(sums.target.hex(), sha256(target));
}

}  // namespace
}  // namespace gloss
