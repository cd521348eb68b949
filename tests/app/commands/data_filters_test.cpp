// The keys data.max_ratio, skip_copied and skip_repeated and tokenizer.symbols, from the command line to the model.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class DataFiltersTest : public testing::Test {
 protected:
  /// Writes 40 pairs, every second source with a tag, and a copied, a long and a repeated pair.
  DataFiltersTest() {
    std::string sources, targets, last_source, last_target;
    for (int i = 0; i < 40; ++i) {
      const auto letter = static_cast<char>(i % 26);
      last_source = std::string(i % 2 == 0 ? "" : "<BT> ") + static_cast<char>('a' + letter) + (i < 26 ? "o" : "u");
      last_target = std::string(1, static_cast<char>('A' + letter)) + (i < 26 ? "O" : "U");
      sources += last_source + '\n';
      targets += last_target + '\n';
    }
    write_text(run_ / "s", sources + "same\nq q q q q q q q q q q q\n" + last_source + '\n');
    write_text(run_ / "t", targets + "same\nQ\n" + last_target + '\n');
  }

  static Arguments with(const Arguments& more) {
    Arguments settings;
    for (const auto* setting :
         {"data.train_source=s", "data.train_target=t", "data.max_ratio=9", "data.skip_copied=true",
          "data.skip_repeated=true", "tokenizer.vocabulary_size=100", "training.max_steps=2"})
      settings.insert(settings.end(), {"--set", setting});
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  }

  SmallRun run_;
};

TEST_F(DataFiltersTest, ARunSkipsPairsKeepsTheTagWholeAndCheckDataAgrees) {
  const auto trained = run_gloss(run_.training("a", with({"--set", R"(tokenizer.symbols=["<BT>"])"})));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.err, AllOf(HasSubstr("1 training pair left out: the target is the source (data.skip_copied) "
                                           "(first lines: 41)"),
                                 HasSubstr("1 training pair left out: one side has more than data.max_ratio = 9 "
                                           "times the pieces of the other (first lines: 42)"),
                                 HasSubstr("1 training pair left out: they repeat an earlier pair "
                                           "(data.skip_repeated) (first lines: 43)")));
  const std::string model = (run_ / "a") / "tokenizer.model";
  const auto pieces = run_gloss({"tokenizer", "encode", "--model", model}, "<BT> ao\n");
  EXPECT_EQ(pieces.out, "\u2581 <BT> \u2581 a o\n");
  EXPECT_EQ(run_gloss({"tokenizer", "decode", "--model", model}, pieces.out).out, "<BT> ao\n");
  const auto translated = run_gloss({"translate", "--model", run_ / "a", "--device", "cpu"}, "<BT> ao\n");
  EXPECT_EQ(translated.exit_code, 0) << translated.err;

  Arguments check = {"check-data", "--config", run_.config(), "--json"};
  const auto more = with({"--set", "tokenizer.model_file=a/tokenizer.model"});
  check.insert(check.end(), more.begin(), more.end());
  const auto checked = run_gloss(check);
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  const auto training = json::parse(checked.out).at("sets").at(0);
  EXPECT_EQ(training.at("fit_pairs"), 40);
  json lines;
  for (const auto& finding : training.at("findings")) lines[finding.at("kind")] = finding.at("first_lines");
  EXPECT_EQ(lines.at("skipped_copied"), json{41});
  EXPECT_EQ(lines.at("skipped_ratio"), json{42});
  EXPECT_EQ(lines.at("skipped_repeated"), json{43});
}

TEST_F(DataFiltersTest, AGivenTokenizerWithoutTheSymbolIsRefused) {
  ASSERT_EQ(
      run_gloss({"tokenizer", "train", "--input", run_ / "s", "--type", "char", "--output", run_ / "m"}).exit_code, 0);
  const auto refused =
      run_.training("a", with({"--set", "tokenizer.model_file=m", "--set", R"(tokenizer.symbols=["<BT>"])"}));
  expect_outcome({"no symbol", refused, 2, "tokenizer.symbols: wanted symbols of .*m, got <BT>, which is no"},
                 run_ / "");
}

}  // namespace
}  // namespace gloss
