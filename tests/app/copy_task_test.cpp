#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::StartsWith;

constexpr auto kCopyTask = R"({
  "defaults": "fixed",
  "tokenizer": {"vocabulary_size": 48, "type": "char"},
  "data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target",
           "valid_source": "corpus/valid.source", "valid_target": "corpus/valid.target",
           "test_source": "corpus/test.source", "test_target": "corpus/test.target",
           "max_length": 64, "batch_tokens": 1024},
  "model": {"encoder_layers": 2, "decoder_layers": 2, "d_model": 64, "d_ff": 128, "heads": 4},
  "training": {"max_epochs": 20, "schedule": "inverse_sqrt", "learning_rate": 0.004, "warmup_steps": 100,
               "shards": 1},
  "decoding": {"beam_size": 2, "length_penalty": 0, "max_length": 64}
})";

// From text to a score by nothing but the program, on a GPU if there is one.
TEST(CopyTaskTest, IsLearnedFromScratchAndDecodedWithoutError) {
  const TemporaryFolder folder;
  const auto corpus = folder.path() / "corpus";
  ASSERT_EQ(run_gloss({"make-corpus", "copy", "--out", corpus}).exit_code, 0);
  write_text(folder / "run.json", kCopyTask);
  const Arguments device = {"--device", "auto", "--threads", "1"};
  const auto with_device = [&](Arguments arguments) {
    arguments.insert(arguments.end(), device.begin(), device.end());
    return arguments;
  };

  const auto trained =
      run_gloss(with_device({"train-translate", "--config", folder / "run.json", "--out", folder / "run"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out, StartsWith("BLEU = 100.00\n")) << trained.err;

  const auto source = read_text(corpus / "test.source");
  for (const auto* beam : {"1", "4"})
    EXPECT_EQ(run_gloss(with_device({"translate", "--model", folder / "run", "--beam", beam}), source).out, source);

  const Arguments evaluation = {
      "evaluate", "--model", folder / "run", "--source", corpus / "test.source", "--reference", corpus / "test.target"};
  EXPECT_EQ(run_gloss(with_device(evaluation)).out, trained.out);
  auto as_json = evaluation;
  as_json.push_back("--json");
  const auto result = nlohmann::json::parse(run_gloss(with_device(as_json)).out);
  EXPECT_NEAR(result.at("bleu").at("score"), 100, 1e-9);
}

// The equations alone learn it, too. They take longer, so the run ends before the last errors are gone.
TEST(CopyTaskTest, IsLearnedByPlainPassesAlone) {
  const TemporaryFolder folder;
  const auto corpus = folder.path() / "corpus";
  ASSERT_EQ(run_gloss({"make-corpus", "copy", "--out", corpus}).exit_code, 0);
  write_text(folder / "run.json", kCopyTask);
  const Arguments common = {"--device", "auto", "--threads", "1", "--plain"};
  const auto plain = [&](Arguments arguments) {
    arguments.insert(arguments.end(), common.begin(), common.end());
    return arguments;
  };
  const auto trained = run_gloss(plain(
      {"train-translate", "--config", folder / "run.json", "--out", folder / "run", "--set", "training.max_epochs=8"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  ASSERT_THAT(trained.out, StartsWith("BLEU = ")) << trained.err;
  EXPECT_GT(std::stod(trained.out.substr(7)), 85) << trained.out;
  const auto source = lines_of(read_text(corpus / "test.source"));
  const auto translation =
      lines_of(run_gloss(plain({"translate", "--model", folder / "run"}), read_text(corpus / "test.source")).out);
  ASSERT_EQ(translation.size(), source.size());
  std::size_t copied = 0;
  for (std::size_t i = 0; i < source.size(); ++i) copied += translation[i] == source[i] ? 1 : 0;
  EXPECT_GT(copied, source.size() / 2);
}

}  // namespace
}  // namespace gloss
