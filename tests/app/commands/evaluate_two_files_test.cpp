#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/support/json_output.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(EvaluateTest, TheLogHoldsTheScore) {
  const TemporaryFolder folder;
  write_text(folder / "text", "a b c d e\n");
  EXPECT_EQ(run_gloss({"evaluate", "--hypothesis", folder / "text", "--reference", folder / "text", "--log-json",
                       folder / "log.jsonl"})
                .exit_code,
            0);
  const auto event = json::parse(read_text(folder / "log.jsonl"));
  EXPECT_EQ(event.at("event"), "evaluation");
  EXPECT_DOUBLE_EQ(event.at("bleu").at("score"), 100.0);
}

TEST(EvaluateTest, TheTokenizerOfBleuCanBeChosen) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "那个男孩昨天买了苹果。\n");
  write_text(folder / "reference", "那个男孩昨天吃了苹果。\n");
  const auto score = [&](const std::string& tokenizer) {
    return run_gloss({"evaluate", "--hypothesis", folder / "hypothesis", "--reference", folder / "reference",
                      "--tokenize", tokenizer});
  };
  EXPECT_EQ(lines_of(score("13a").out)[0], "BLEU = 0.00");
  // 10 of 11 characters match, 8 of 10 pairs, 6 of 9 triples, 4 of 8 quadruples.
  EXPECT_EQ(score("zh").out, "BLEU = 70.17\nnrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0\n");
  EXPECT_EQ(score("ja").exit_code, 2);
}

TEST(EvaluateTest, ScoresEachGroupOfLines) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "the cat sat on the mat\na b c d e\n");
  write_text(folder / "reference", "the cat sat on a mat\na b c d e\n");
  write_text(folder / "groups", "cats\nletters\n");
  const Arguments arguments = {"evaluate",           "--hypothesis", folder / "hypothesis", "--reference",
                               folder / "reference", "--groups",     folder / "groups"};
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[0], "cats          1 lines  BLEU = 53.73");
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[1], "letters       1 lines  BLEU = 100.00");
  auto with_json = arguments;
  with_json.push_back("--json");
  const auto groups = only_json(run_gloss(with_json)).at("groups");
  EXPECT_NEAR(groups.at("cats").at("score"), 53.7284965911771, 1e-12);
  EXPECT_EQ(groups.at("letters").at("lines"), 1);

  write_text(folder / "groups", "é\n猫の絵\n");  // as wide as they have characters
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[0], "é         1 lines  BLEU = 53.73");
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[1], "猫の絵       1 lines  BLEU = 100.00");

  write_text(folder / "groups", "cats\n");
  const auto refused = run_gloss(arguments);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("groups"));
  EXPECT_EQ(refused.out, "");
}

TEST(EvaluateTest, ScoresAFileAgainstAnother) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "the cat sat on the mat\n");
  write_text(folder / "reference", "the cat sat on a mat\n");
  const Arguments arguments = {"evaluate", "--hypothesis", folder / "hypothesis", "--reference", folder / "reference"};
  const auto text = run_gloss(arguments);
  // 5/6, 3/5, 2/4 and 1/3 n-grams match: 100 * (5/6 * 3/5 * 2/4 * 1/3)^(1/4)
  EXPECT_EQ(text.out, "BLEU = 53.73\nnrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n");
  auto with_json = arguments;
  with_json.insert(with_json.end(), {"--json", "--metrics", "bleu", "--tokenize", "13a"});
  const auto bleu = only_json(run_gloss(with_json)).at("bleu");
  EXPECT_NEAR(bleu.at("score"), 53.7284965911771, 1e-12);
  EXPECT_EQ(bleu.at("brevity_penalty"), 1.0);
  EXPECT_EQ(bleu.at("precisions").size(), 4u);
  EXPECT_THAT(bleu.at("signature"), HasSubstr("tok:13a"));
}

TEST(EvaluateTest, RefusesFilesOfDifferentLength) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "a\nb\n");
  write_text(folder / "reference", "a\n");
  const auto outcome =
      run_gloss({"evaluate", "--hypothesis", folder / "hypothesis", "--reference", folder / "reference", "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(EvaluateTest, ReadsPipes) {
  const TemporaryFolder folder;
  write_text(folder / "reference", "the cat sat on a mat\n");
  const auto outcome = run_gloss({"evaluate", "--hypothesis", "/dev/stdin", "--reference", folder / "reference"},
                                 "the cat sat on the mat\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("BLEU = 53.73\n"));
}

}  // namespace
}  // namespace gloss
