#include "alignment/line_ids.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LineIdsTest, WordsAreNumberedInTheirOrder) {
  LineIds ids(nullptr);
  ids.learn("a  b\ta c");
  ids.learn(" d b");
  EXPECT_EQ(ids.size(), 4);
  EXPECT_THAT(ids.encode("d a\tb c c "), ElementsAre(3, 0, 1, 2, 2));
  EXPECT_THAT(ids.encode(" \t"), IsEmpty());
  EXPECT_EQ(ids.spelling(1), "b");
  EXPECT_THROW(ids.encode("a new"), DataError);
}

TEST(LineIdsTest, PiecesAreThoseOfTheTokenizer) {
  const TemporaryFolder folder;
  std::vector<std::string> lines;
  for (int i = 0; i < 50; ++i) lines.push_back("the dog and " + std::to_string(i * 37) + " dogs and  cats\tran");
  std::ofstream text(folder / "text");
  for (const auto& line : lines) text << line << '\n';
  text.close();
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram}) {
    const std::vector files{folder / "text"};
    TokenizerConfig config;
    config.vocabulary_size = 40;
    config.type = type;
    config.joint = false;
    const auto tokenizer = make_tokenizer(train_tokenizer(files, config), "model");
    LineIds ids(tokenizer);
    for (const auto& line : lines) ids.learn(line);
    for (const auto& line : lines) EXPECT_EQ(ids.encode(line), tokenizer->encode(line)) << line;
    EXPECT_EQ(ids.size(), tokenizer->vocabulary_size());
    EXPECT_EQ(ids.spelling(10), tokenizer->piece(10));
  }
}

}  // namespace
}  // namespace gloss
