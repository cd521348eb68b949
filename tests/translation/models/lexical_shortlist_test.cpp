#include "translation/models/lexical_shortlist.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/translation/letters.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class OtherLetters final : public Letters {
 public:
  const std::string& serialized() const override { return name_; }

 private:
  std::string name_ = "other";
};

constexpr Id kA = 4, kB = 5, kC = 6, kX = 27, kY = 28;  // of the letters

class LexicalShortlistTest : public testing::Test {
 protected:
  Shortlist::Table read(const std::string& text, const ShortlistSizes& sizes, const Tokenizer& target) {
    write_file(folder_ / "lex.s2t", text);
    return read_lexical_shortlist(folder_ / "lex.s2t", Letters(), target, sizes)->table();
  }
  static Ids proposed(const Shortlist::Table& table, Id source) {
    return {table.tokens.begin() + table.offsets[source], table.tokens.begin() + table.offsets[source + 1]};
  }

  const TemporaryFolder folder_;
  const OtherLetters other_;
};

TEST_F(LexicalShortlistTest, HasTheMostLikelyTargetsOfEachPiece) {
  const auto table = read("x a 0.25\nb c 1\ny a 0.5\nb a 0.125\n", {.frequent = 1, .best = 2}, other_);
  EXPECT_THAT(table.always, ElementsAre(kUnk, kEos, kA));
  EXPECT_THAT(proposed(table, kA), ElementsAre(kY, kX));
  EXPECT_THAT(proposed(table, kB), IsEmpty());
  EXPECT_THAT(proposed(table, kC), ElementsAre(kB));
  EXPECT_THAT(proposed(table, kEos), IsEmpty());
}

TEST_F(LexicalShortlistTest, ASharedPieceProposesItself) {
  const auto table = read("x a 0.25\n", {.frequent = 0, .best = 1}, Letters());
  EXPECT_THAT(table.always, ElementsAre(kUnk, kEos));
  EXPECT_THAT(proposed(table, kA), ElementsAre(kX, kA));
  EXPECT_THAT(proposed(table, kB), ElementsAre(kB));
}

TEST_F(LexicalShortlistTest, FrequentPiecesAreAtMostTheVocabulary) {
  EXPECT_EQ(std::ssize(read("x a 1\n", {.frequent = 1000}, other_).always), kLetterVocabulary - 2)
      << "neither padding nor the beginning";
}

TEST_F(LexicalShortlistTest, OtherPiecesDoNotCount) {
  const auto table = read("NULL a 0.5\nx NULL 0.5\nx a 0.25\nWort a 0.25\n", {.frequent = 0, .best = 1}, other_);
  EXPECT_THAT(table.tokens, ElementsAre(kX));
  EXPECT_THAT([&] { read("Hund dog 1\n", {}, other_); },
              ThrowsMessage<DataError>(HasSubstr("wanted pieces of the model's tokenizers, got none")));
}

TEST_F(LexicalShortlistTest, ALineInAnotherFormIsRefused) {
  for (const std::string line : {"x a", "x  1", "x a 1 ", "x a nan", "x a b 1", ""})
    EXPECT_THAT([&] { read("x a 1\n" + line + "\n", {}, other_); },
                ThrowsMessage<DataError>(HasSubstr("lex.s2t, line 2: wanted \"target source probability\", got \"")))
        << line;
}

}  // namespace
}  // namespace gloss
