#include "evaluation/bleu_by_group.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using Lines = std::vector<std::string>;
using testing::SizeIs;

TEST(BleuByGroupTest, EachGroupIsScoredOnItsOwnLines) {
  const Lines hypotheses = {"a b c d e", "the cat sat on the mat", "f g h i j"};
  const Lines references = {"a b c d e", "the cat sat on a mat", "f g h i k"};
  const auto scores = bleu_by_group(hypotheses, references, Lines{"x", "y", "x"});
  ASSERT_THAT(scores, SizeIs(2));
  EXPECT_EQ(scores.at("x").lines, 2);
  EXPECT_EQ(scores.at("y").lines, 1);
  EXPECT_EQ(scores.at("x").bleu.score,
            corpus_bleu(Lines{hypotheses[0], hypotheses[2]}, Lines{references[0], references[2]}).score);
  EXPECT_EQ(scores.at("y").bleu.score, corpus_bleu(Lines{hypotheses[1]}, Lines{references[1]}).score);
}

TEST(BleuByGroupTest, OneGroupScoresAsTheCorpus) {
  const Lines hypotheses = {"a b c d e", "the cat sat on the mat"}, references = {"a b c d f", "the cat sat on a mat"};
  EXPECT_EQ(bleu_by_group(hypotheses, references, Lines{"", ""}).at("").bleu.score,
            corpus_bleu(hypotheses, references).score);
}

TEST(BleuByGroupTest, WantsAGroupForEachLine) {
  EXPECT_THROW(bleu_by_group(Lines{"a"}, Lines{"a"}, Lines{}), DataError);
  EXPECT_THROW(bleu_by_group(Lines{"a"}, Lines{"a"}, Lines{"x", "y"}), DataError);
  EXPECT_THROW(bleu_by_group(Lines{"a"}, Lines{}, Lines{"x"}), DataError);
  EXPECT_THROW(bleu_by_group(Lines{}, Lines{}, Lines{}), DataError);
}

}  // namespace
}  // namespace gloss
