#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;

class ExportTest : public testing::Test {
 protected:
  Outcome write(const std::string& format, const Arguments& more = {}) const {
    Arguments arguments = {"export", "--model", model_, "--to", format, "--output", output_, "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model(), output_ = run_ / "out";
};

TEST_F(ExportTest, EachFormatHasItsFilesAndAReadme) {
  ASSERT_EQ(write("ctranslate2").exit_code, 0);
  for (const auto* file : {"model.bin", "config.json", "shared_vocabulary.json", "tokenizer.model", "README.md"})
    EXPECT_TRUE(fs::exists(fs::path(output_) / file)) << file;
  const auto outcome = write("huggingface", {"--overwrite"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("README.md"));
  for (const auto* file : {"model.safetensors", "config.json", "generation_config.json", "tokenizer.json",
                           "tokenizer_config.json", "special_tokens_map.json", "README.md"})
    EXPECT_TRUE(fs::exists(fs::path(output_) / file)) << file;
  EXPECT_FALSE(fs::exists(fs::path(output_) / "model.bin"));
  EXPECT_EQ(outcome.out, "");
}

TEST_F(ExportTest, LowerPrecisionsAreSmaller) {
  ASSERT_EQ(write("ctranslate2").exit_code, 0);
  const auto size = fs::file_size(fs::path(output_) / "model.bin");
  for (const auto* precision : {"bfloat16", "int8"}) {
    ASSERT_EQ(write("ctranslate2", {"--overwrite", "--precision", precision}).exit_code, 0);
    EXPECT_LT(fs::file_size(fs::path(output_) / "model.bin"), size);
  }
}

TEST_F(ExportTest, AnExistingFolderIsReplacedOnRequestOnly) {
  ASSERT_EQ(write("ctranslate2").exit_code, 0);
  const auto refused = write("ctranslate2");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("has files; give another name, or --overwrite"));
  write_text(fs::path(output_) / "notes", "mine");
  EXPECT_EQ(write("ctranslate2", {"--overwrite"}).exit_code, 2);
  EXPECT_EQ(read_text(fs::path(output_) / "notes"), "mine");
}

TEST_F(ExportTest, TheFolderOfTheModelIsNotReplaced) {
  output_ = model_;
  EXPECT_EQ(write("ctranslate2", {"--overwrite"}).exit_code, 2);
  EXPECT_EQ(run_gloss({"inspect", model_}).exit_code, 0);
}

TEST_F(ExportTest, AModelInTheFolderOfAnEarlierExportIsKept) {
  ASSERT_EQ(write("huggingface").exit_code, 0);
  const auto model = fs::path(model_) / "model.safetensors", inside = fs::path(output_) / "model.safetensors";
  const auto bytes = read_text(model);
  fs::copy_file(model, inside, fs::copy_options::overwrite_existing);
  for (const auto& named : {inside, model}) {  // once as an input, once as a file that no export wrote
    model_ = named;
    const auto outcome = write("ctranslate2", {"--overwrite"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("model.safetensors"));
    EXPECT_TRUE(read_text(inside) == bytes);
  }
}

TEST_F(ExportTest, AModelThatTheFormatCannotExpressIsRefusedInOneLine) {
  const auto outcome = write("marian", {"--precision", "bfloat16"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("model.position_frequencies"), HasSubstr("model.decoder_start"),
                                 HasSubstr("model.layer_norm_epsilon"), HasSubstr("--precision")));
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(ExportTest, WrongCommandLinesAreRefused) {
  EXPECT_EQ(write("onnx").exit_code, 2);
  EXPECT_EQ(run_gloss({"export", "--model", model_, "--output", output_}).exit_code, 2);
  EXPECT_EQ(run_gloss({"export", "--model", run_ / "none", "--to", "marian", "--output", output_}).exit_code, 2);
  write_text(run_ / "broken", "not a model");
  EXPECT_EQ(run_gloss({"export", "--model", run_ / "broken", "--to", "ctranslate2", "--output", output_}).exit_code, 3);
  EXPECT_FALSE(fs::exists(output_));
}

}  // namespace
}  // namespace gloss
