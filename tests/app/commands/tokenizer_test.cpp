#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TokenizerTest, EncodingAndDecodingGiveTheTextBack) {
  const SmallRun run;
  const auto model = run / "t.model";
  const auto trained =
      run_gloss({"tokenizer", "train", "--input", run.corpus("train.source"), run.corpus("train.target"),
                 "--vocabulary-size", "60", "--type", "bpe", "--output", model});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out, IsEmpty());
  const auto text = read_text(run.corpus("test.source")) + "\n";
  const auto pieces = run_gloss({"tokenizer", "encode", "--model", model}, text);
  EXPECT_THAT(pieces.out, HasSubstr("\u2581"));
  EXPECT_EQ(run_gloss({"tokenizer", "decode", "--model", model}, pieces.out).out, text);
}

// One letter in a thousand: left out by the coverage, or spelled as bytes.
TEST(TokenizerTest, CoverageAndByteFallbackSayWhatBecomesOfARareCharacter) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "abc bca cab\n";
  write_text(folder / "text", text + "\u03a9\n");
  const auto encode = [&](const Arguments& more) {
    Arguments arguments = {"tokenizer", "train", "--input",           folder / "text", "--output",   folder / "m",
                           "--type",    "char",  "--vocabulary-size", "300",           "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto trained = run_gloss(arguments);
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    return run_gloss({"tokenizer", "encode", "--model", folder / "m"}, "a\u03a9\n").out;
  };
  EXPECT_THAT(encode({}), HasSubstr("\u03a9"));
  EXPECT_THAT(encode({"--character-coverage", "0.99"}), HasSubstr("<unk>"));
  EXPECT_THAT(encode({"--character-coverage", "0.99", "--byte-fallback"}), HasSubstr("<0xCE> <0xA9>"));
  EXPECT_THAT(run_gloss({"tokenizer", "train", "--input", folder / "text", "--output", folder / "m",
                         "--character-coverage", "0.9", "--overwrite"})
                  .err,
              HasSubstr("--character-coverage: wanted a number from 0.98 to 1, got 0.9"));
}

TEST(TokenizerTest, AnExistingModelIsKeptUnlessItIsToBeOverwritten) {
  const TemporaryFolder folder;
  write_text(folder / "text", "abc bca cab\n");
  write_text(folder / "m", "kept");
  Arguments arguments = {"tokenizer", "train", "--input", folder / "text", "--output", folder / "m", "--type", "char"};
  const auto refused = run_gloss(arguments);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--output: there is a file "), HasSubstr("--overwrite to replace it")));
  EXPECT_EQ(read_text(folder / "m"), "kept");
  arguments.push_back("--overwrite");
  const auto replaced = run_gloss(arguments);
  EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
  EXPECT_NE(read_text(folder / "m"), "kept");
}

TEST(TokenizerTest, DecodingRefusesWhatIsNoPieceAndNamesTheLine) {
  const SmallRun run;
  const auto model = run / "t.model";
  ASSERT_EQ(run_gloss({"tokenizer", "train", "--input", run.corpus("train.source"), "--vocabulary-size", "40", "--type",
                       "char", "--output", model})
                .exit_code,
            0);
  const auto outcome = run_gloss({"tokenizer", "decode", "--model", model}, "a\nnonsense\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("line 2"), HasSubstr("nonsense")));
}

}  // namespace
}  // namespace gloss
