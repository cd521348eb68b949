#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/output/inspect_text.h"
#include "common/config/json.h"
#include "common/files/safetensors.h"
#include "tests/app/support/json_output.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

TEST(InspectTest, PrintsWhatAModelHolds) {
  const SmallRun run;
  const auto model = run.untrained_model();
  const auto text = run_gloss({"inspect", model});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("format: gloss-model"), HasSubstr("decoder.layers.0.cross_attention "),
                              HasSubstr("\"d_model\": 16")));
  const auto object = only_json(run_gloss({"inspect", model, "--json"}));
  EXPECT_EQ(object.at("config").at("model").at("d_model"), 16);
  EXPECT_EQ(object.at("vocabulary").at("source"), object.at("vocabulary").at("target"));
  std::int64_t sum = 0;
  bool found = false;
  for (const auto& module : object.at("modules")) {
    sum += module.at("parameters").get<std::int64_t>();
    if (module.at("name") != "encoder.layers.0.self_attention") continue;
    found = true;
    EXPECT_EQ(module.at("parameters"), 4 * (16 * 16 + 16));
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(object.at("parameters"), sum);
  EXPECT_EQ(object.at("provenance").at("steps"), 0);
}

TEST(InspectTest, BeginsWithASummaryOfFiveLines) {
  const SmallRun run;
  ASSERT_EQ(run_gloss(run.training("a", {"--set", "training.max_steps=2"})).exit_code, 0);
  const auto lines = lines_of(run_gloss({"inspect", run / "a"}).out);
  ASSERT_GT(lines.size(), 7u);
  EXPECT_THAT(lines[0],
              MatchesRegex("file:      encoder-decoder Transformer that translates, float32 matrices, 0.[0-9] MiB"));
  EXPECT_THAT(lines[1], StartsWith("languages: "));
  EXPECT_THAT(lines[2], MatchesRegex("size:      parameters [0-9]+, encoder layers 1, decoder layers 1, d_model 16, "
                                     "d_ff [0-9]+, heads [0-9], vocabulary [0-9]+"));
  EXPECT_THAT(lines[3], MatchesRegex("training:  steps 2, epochs [0-9]+, sentence pairs [0-9]+"));
  EXPECT_THAT(lines[4], MatchesRegex("scores:    test BLEU [0-9.]+, validation BLEU [0-9.]+ \\(greedy\\), "
                                     "validation perplexity [0-9.]+"));
  EXPECT_EQ(lines[5], "");
  EXPECT_EQ(lines[6], "format: gloss-model");

  const auto checkpoint =
      lines_of(run_gloss({"inspect", (run / "a") / "checkpoints" / "step-00000002.safetensors"}).out);
  EXPECT_THAT(checkpoint[0], StartsWith("file:      checkpoint of a training run, "));
  EXPECT_THAT(checkpoint[1], "languages: not recorded");
  EXPECT_THAT(checkpoint[3], "training:  steps 2");
  EXPECT_THAT(checkpoint[4], "scores:    not recorded");
}

TEST(InspectTest, ARecurrentNetworkIsCalledSo) {
  const Json config = {{"model", {{"architecture", "recurrent"}, {"d_ff", 8}, {"d_model", 8}}}};
  const auto lines = lines_of(summary_lines({{"precision", "float32"}, {"config", config}}, 3 << 20));
  EXPECT_EQ(lines[0], "file:      recurrent encoder-decoder that translates, float32 matrices, 3.0 MiB");
  EXPECT_EQ(lines[2], "size:      d_model 8");
}

TEST(InspectTest, TheSummaryTakesWhateverAFileRecords) {
  const Json config = {{"data", {{"source_language", "en"}, {"target_language", "d\x1b[31me"}}},
                       {"model", {{"heads", "four"}, {"d_ff", nullptr}, {"d_model", 8}}}};
  const Json odd = {{"precision", "int8"}, {"config", config}, {"provenance", {{"test", 3}, {"averaged", {1, 2}}}}};
  const auto lines = lines_of(summary_lines(odd, 3 << 20));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "file:      encoder-decoder Transformer that translates, int8 matrices, 3.0 MiB");
  EXPECT_EQ(lines[1], "languages: en to d\\x1b[31me");
  EXPECT_EQ(lines[2], "size:      d_model 8");
  EXPECT_EQ(lines[3], "training:  mean of 2 files");
  EXPECT_EQ(lines[4], "scores:    not recorded");
}

// JSON has no NaN: weights, scores and metadata that are none must not become one.
TEST(InspectTest, ItsJsonIsStrictWhateverTheFileHolds) {
  const SmallRun run;
  const auto model = std::filesystem::path(run.untrained_model()) / "model.safetensors";
  const auto file = SafetensorsFile::open(model);
  auto tensors = file.tensors();
  auto& weight = tensors.at("source_embedding.weight");
  std::vector<float> weights(weight.bytes.size() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
  weights.back() = std::numeric_limits<float>::infinity();
  weight.bytes = std::as_bytes(std::span(weights));
  auto metadata = file.metadata();
  metadata["provenance"] =
      R"({"steps": -0.0, "validation": {"perplexity": 1.7976931348623157e308, "greedy_bleu": null}})";
  write_safetensors(run / "odd.safetensors", tensors, metadata);
  const auto object = parse_json(run_gloss({"inspect", run / "odd.safetensors", "--json"}).out);
  EXPECT_GT(object.at("parameters").get<std::int64_t>(), 0);
  EXPECT_EQ(run_gloss({"inspect", run / "odd.safetensors"}).exit_code, 0);

  for (const std::string number : {"NaN", "Infinity", "1e999", "-1e999"}) {
    metadata["provenance"] = "{\"steps\": " + number + "}";
    write_safetensors(run / "odd.safetensors", tensors, metadata);
    const auto refused = run_gloss({"inspect", run / "odd.safetensors", "--json"});
    EXPECT_EQ(refused.exit_code, 3) << number;
    EXPECT_THAT(refused.out, IsEmpty()) << number;
  }

  // A state that became NaN after it was read.
  TrainingState state;
  state.unreported_nll = std::numeric_limits<double>::quiet_NaN();
  state.best_score = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(parse_json(to_text(to_json(state))));
}

TEST(InspectTest, PrintsTheStateOfACheckpoint) {
  const SmallRun run;
  ASSERT_EQ(run_gloss(run.training("a", {"--set", "training.max_steps=5"})).exit_code, 0);
  const auto checkpoint = (run / "a") / "checkpoints" / "step-00000005.safetensors";
  const auto object = only_json(run_gloss({"inspect", checkpoint, "--json"}));
  EXPECT_EQ(object.at("format"), "gloss-checkpoint");
  EXPECT_EQ(object.at("state").at("step"), 5);
  EXPECT_EQ(object.at("parameters"), only_json(run_gloss({"inspect", run / "a", "--json"})).at("parameters"));
}

TEST(InspectTest, LongNamesAreShownWhole) {
  const TemporaryFolder folder;
  const std::string name(200, 'n');
  const std::array<float, 3> weights{};
  const auto state = to_text(to_json(TrainingState{}));
  write_safetensors(
      folder / "checkpoint", {{name + ".weight", {Dtype::kF32, {3}, std::as_bytes(std::span(weights))}}},
      {{"format", "gloss-checkpoint"}, {"format_version", "1"}, {"state", state}, {"state_sha256", sha256(state)}});
  EXPECT_THAT(run_gloss({"inspect", folder / "checkpoint"}).out, HasSubstr("  " + name + "              3\n"));
}

TEST(InspectTest, RefusesWhatIsNoModel) {
  const TemporaryFolder folder;
  write_text(folder / "text", "Call me Ishmael, some years ago.");
  EXPECT_EQ(run_gloss({"inspect", folder / "text"}).exit_code, 3);
}

// U+009B begins a command of many terminals, and U+202E reverses text.
TEST(InspectTest, EscapesControlCharactersInJson) {
  const SmallRun run;
  const auto model = std::filesystem::path(run.untrained_model()) / "model.safetensors";
  const auto file = SafetensorsFile::open(model);
  auto metadata = file.metadata();
  metadata.erase("header_sha256");
  auto config = parse_json(metadata.at("config"));
  config["data"]["source_language"] = "\u009b31m\u202e";
  metadata["config"] = to_text(config);
  write_safetensors(run / "odd.safetensors", file.tensors(), metadata);
  for (const bool as_json : {false, true}) {
    Arguments command = {"inspect", run / "odd.safetensors"};
    if (as_json) command.emplace_back("--json");
    const auto outcome = run_gloss(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("\\u009b31m\\u202e"), Not(HasSubstr("\u009b")), Not(HasSubstr("\u202e"))));
  }
}

}  // namespace
}  // namespace gloss
