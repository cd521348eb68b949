#include "run/run_tokenizers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "run/config/initial_weights.h"
#include "tests/run/small_job.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class RunTokenizersTest : public testing::Test {
 protected:
  RunTokenizersTest() { testing::internal::CaptureStderr(); }
  ~RunTokenizersTest() override { testing::internal::GetCapturedStderr(); }

  RunTokenizers make(bool resume = false) const {
    return RunTokenizers(job_.config, RunFolder(job_ / "run", resume, false));
  }
  std::string train(const std::string& text) const {
    return train_tokenizer(std::vector<std::filesystem::path>{text}, job_.config.tokenizer);
  }

  SmallJob job_;
};

TEST_F(RunTokenizersTest, OneForBothLanguagesIsTrainedOnBoth) {
  const auto tokenizers = make();
  EXPECT_EQ(tokenizers.source(), tokenizers.target());
  EXPECT_EQ(
      tokenizers.source()->serialized(),
      train_tokenizer(std::vector<std::filesystem::path>{job_.config.data.train_source, job_.config.data.train_target},
                      job_.config.tokenizer));
}

TEST_F(RunTokenizersTest, OneForEachIsTrainedOnItsOwn) {
  job_.use_two_tokenizers(TieEmbeddings::kNone);
  const auto tokenizers = make();
  EXPECT_EQ(tokenizers.source()->serialized(), train(job_.config.data.train_source));
  EXPECT_EQ(tokenizers.target()->serialized(), train(job_.config.data.train_target));
  EXPECT_EQ(tokenizers.vocabularies().target, tokenizers.target()->vocabulary_size());
}

TEST_F(RunTokenizersTest, ANamedModelIsUsedAsItIs) {
  const auto model = train(job_.config.data.test_source);
  write_file(job_ / "own.model", model);
  job_.config.tokenizer.model_file = job_ / "own.model";
  EXPECT_EQ(make().source()->serialized(), model);
}

TEST_F(RunTokenizersTest, ANamedModelWithoutASymbolIsRefusedByName) {
  auto& config = job_.config.tokenizer;
  config.symbols = {"<BT>"};
  config.vocabulary_size = 60;
  write_file(job_ / "own.model", train(job_.config.data.train_source));
  config.model_file = job_ / "own.model";
  EXPECT_EQ(make().source()->encode("<BT>").size(), 2u) << "the symbol, and the mark of a word's beginning";
  config.symbols = {"<BT>", "a"};  // a piece, but no symbol
  const auto is_refused = ThrowsMessage<UsageError>(
      AllOf(HasSubstr("tokenizer.symbols: wanted symbols of "), HasSubstr("own.model, got a, which is no")));
  EXPECT_THAT([&] { make(); }, is_refused);
  EXPECT_THAT([&] { configured_tokenizers(job_.config); }, is_refused);
}

TEST_F(RunTokenizersTest, ANamedModelWithOtherIdsIsRefusedWithTheRemedy) {
  auto model = train(job_.config.data.train_source);
  model.replace(model.find("<pad>"), 5, "<pat>");
  write_file(job_ / "other.model", model);
  job_.config.tokenizer.model_file = job_ / "other.model";
  EXPECT_THAT([&] { make(); },
              ThrowsMessage<ModelError>(
                  AllOf(HasSubstr("other.model"), HasSubstr("wanted the special ids"), HasSubstr("--pad_id=0"))));
}

TEST_F(RunTokenizersTest, ANamedModelThatIsMissingIsBadData) {
  job_.config.tokenizer.model_file = job_ / "none.model";
  try {
    make();
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kData);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("none.model"), HasSubstr("tokenizer.model_file")));
  }
}

TEST_F(RunTokenizersTest, AResumedRunTakesTheTokenizersOfItsFolder) {
  {
    RunFolder folder(job_ / "run", false, false);
    folder.keep();
    RunTokenizers(job_.config, folder).save(folder);
  }
  const auto kept = text_of_file(job_ / "run/tokenizer.model");
  auto lines = lines_of_file(job_.config.data.train_source);
  lines.push_back("ZZZ");
  write_lines(job_.config.data.train_source, lines);
  EXPECT_NE(make(/*resume=*/true).source()->serialized(), kept) << "no checkpoint was trained with it";
  write_file(job_ / "run/checkpoints/step-00000001.safetensors", "whole or not");
  EXPECT_EQ(make(/*resume=*/true).source()->serialized(), kept);
  std::filesystem::remove(job_ / "run/tokenizer.model");
  EXPECT_NE(make(/*resume=*/true).source()->serialized(), kept);
}

// The run knows its tokenizer from elsewhere, here from tokenizer.model_file.
TEST_F(RunTokenizersTest, AFileOfAnotherTokenizerIsReplacedWithAWarning) {
  write_file(job_ / "own.model", train(job_.config.data.test_source));
  job_.config.tokenizer.model_file = job_ / "own.model";
  RunFolder folder(job_ / "run", true, false);
  folder.keep();
  write_file(job_ / "run/checkpoints/step-00000001.safetensors", "whole or not");
  write_file(job_ / "run/tokenizer.model", train(job_.config.data.train_source));
  testing::internal::GetCapturedStderr();
  testing::internal::CaptureStderr();
  RunTokenizers(job_.config, folder).save(folder);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("tokenizer.model: was not the tokenizer of this run, which replaces it"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(text_of_file(job_ / "run/tokenizer.model"), text_of_file(job_ / "own.model"));
}

}  // namespace
}  // namespace gloss
