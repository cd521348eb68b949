// A model file with a shortlist and input scales, through the commands.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "model/storage/model_file.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kPlainModel = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";

class ShortlistCommandTest : public testing::Test {
 protected:
  ShortlistCommandTest() {
    // Lists with the end alone: translations are empty.
    auto tiny = read_model_file(kPlainModel, at::kCPU);
    const auto count = static_cast<std::size_t>(tiny.vocabularies.source + 1);
    Shortlist::Table table{std::vector<std::int32_t>(count), {}, {kEos}};
    tiny.description.shortlist = std::make_shared<const Shortlist>(table, tiny.vocabularies);
    tiny.description.input_scales = {{"encoder.layers.0.feed_forward.inner.weight", 0.05F}};
    write_model_file(model_, tiny.model, tiny.description, WeightPrecision::kInt8);
  }

  static std::string translated(std::initializer_list<std::string> arguments) {
    Arguments all{"translate", "--precision", "float32"};
    all.insert(all.end(), arguments);
    const auto outcome = run_gloss(all, "a b\nb c\n");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  static Json inspected(const std::string& file) { return parse_json(run_gloss({"inspect", file, "--json"}).out); }

  const TemporaryFolder folder_;
  const std::string model_ = folder_ / "model.safetensors";
};

TEST_F(ShortlistCommandTest, TranslateUsesItUnlessItIsTurnedOff) {
  const auto all = translated({"--model", model_, "--no-shortlist"});
  EXPECT_NE(all, "\n\n");
  EXPECT_EQ(translated({"--model", model_}), "\n\n");
  EXPECT_EQ(translated({"--model", model_, "--beam", "1"}), "\n\n");
  // Neither an ensemble nor the equations alone have lists.
  EXPECT_EQ(translated({"--model", model_, "--model", model_}), all);
  EXPECT_EQ(translated({"--model", model_, "--plain"}), all);
}

TEST_F(ShortlistCommandTest, InspectReportsIt) {
  const auto described = inspected(model_);
  EXPECT_EQ(described.at("shortlist"), Json({{"tokens", 0}, {"always", 1}}));
  EXPECT_EQ(described.at("input_scales"), 1);
  EXPECT_FALSE(inspected(kPlainModel).contains("shortlist"));
  EXPECT_THAT(run_gloss({"inspect", model_}).out,
              AllOf(HasSubstr("shortlist: 0 tokens of source tokens, 1 of every sentence\n"),
                    HasSubstr("matrices with a scale of their inputs: 1\n"), Not(HasSubstr("  shortlist"))));
}

TEST_F(ShortlistCommandTest, ConvertAndAverageKeepWhatStaysTrue) {
  const std::string other = folder_ / "other.safetensors";
  const auto written = [&](Arguments command) {
    command.insert(command.end(), {"--output", other, "--overwrite"});
    const auto outcome = run_gloss(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(inspected(other).at("shortlist"), inspected(model_).at("shortlist"));
    return outcome.err;
  };
  written({"convert", "--model", model_, "--precision", "int8"});
  EXPECT_EQ(read_text(other), read_text(model_));
  EXPECT_THAT(written({"convert", "--model", model_, "--precision", "float32"}), HasSubstr("scales of inputs"));
  EXPECT_FALSE(inspected(other).contains("input_scales"));
  const std::string plain = folder_ / "plain.safetensors";
  std::filesystem::rename(other, plain);
  written({"average", plain});
  EXPECT_EQ(translated({"--model", other}), "\n\n");
}

TEST_F(ShortlistCommandTest, ConvertMakesOneOfALexicalTable) {
  const std::string made = folder_ / "made.safetensors", table = folder_ / "lex.s2t";
  const Arguments command{"convert", "--model", kPlainModel, "--precision", "float32", "--output", made};
  const auto outcome = [&](const Arguments& more) {
    auto all = command;
    all.insert(all.end(), more.begin(), more.end());
    return run_gloss(all);
  };
  for (const auto* side : {"source", "target"}) write_file(folder_ / side, "a b\nb c\nc a\n");
  const auto aligned = run_gloss({"align", "--source", folder_ / "source", "--target", folder_ / "target", "--model",
                                  kPlainModel, "--lexical-table", table});
  ASSERT_EQ(aligned.exit_code, 0) << aligned.err;
  EXPECT_EQ(outcome({"--lexical-table", table, "--frequent", "1"}).exit_code, 0);
  EXPECT_EQ(inspected(made).at("shortlist").at("always"), 3);
  EXPECT_GT(inspected(made).at("shortlist").at("tokens"), 0);
  EXPECT_EQ(outcome({"--overwrite", "--lexical-table", table, "--frequent", "1000"}).exit_code, 0);
  EXPECT_EQ(translated({"--model", made}), translated({"--model", kPlainModel})) << "all pieces are frequent";
  EXPECT_EQ(outcome({"--frequent", "1"}).exit_code, 2) << "without a table";
  EXPECT_THAT(outcome({"--overwrite", "--lexical-table", folder_ / "source"}).err,
              HasSubstr("wanted \"target source probability\", got \"a b\""));
}

}  // namespace
}  // namespace gloss
