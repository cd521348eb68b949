#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"
#include "tests/support/sanitizers.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CheckDataTest : public testing::Test {
 protected:
  Arguments check(const Arguments& more) const {
    Arguments arguments = {"check-data", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Outcome run(const Arguments& more) const { return run_gloss(check(more)); }
  static std::vector<std::string> kinds(const json& set) {
    std::vector<std::string> kinds;
    for (const auto& finding : set.at("findings")) kinds.push_back(finding.at("kind"));
    return kinds;
  }

  SmallRun run_;
};

TEST_F(CheckDataTest, LooksAtEverySetOfARunFile) {
  const auto outcome = run({"--config", run_.config()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("training: 200 pairs, 200 of them fit for training as far as words tell\n  source  "),
                    HasSubstr("validation: "), HasSubstr("test: "), HasSubstr("words"),
                    HasSubstr("a target that is the source (first lines: 1, 2, 3, 4, 5)"), HasSubstr("usable, with")));
}

TEST_F(CheckDataTest, FindsShiftedLinesAndCharactersThatOthersMisread) {
  std::string source, target;
  for (std::size_t i = 0; i < 120; ++i) {
    source += std::string(3 + i * 7 % 31, 'a') + "\n";
    target += std::string(3 + (i + (i < 60 ? 0 : 1)) * 7 % 31, 'B') + "\n";
  }
  write_text(run_ / "s", source + "m²\u2028\nsoft\u00ad\n");
  write_text(run_ / "t", target + "m²\nsoft\n");
  const auto outcome = run({"--source", run_ / "s", "--target", run_ / "t"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("50  pairs seem to be shifted: the translation of line n stands in line n - 1 of the target "
                      "(first lines: 51)"),
            HasSubstr("1  source lines have characters at which other programs end a line"),
            HasSubstr("1  source lines have invisible characters"),
            HasSubstr("nmt_nfkc changes, such as U+00B2; identity keeps them")));
}

TEST_F(CheckDataTest, FindsOverlapRepetitionsAndUnknownCharacters) {
  write_text(run_ / "s", "aba\nuni\nsol\naba\nlu\n");
  write_text(run_ / "t", "ABA\nvni\nsol\nABA\nlu#\n");
  write_text(run_ / "ts", "uni\nzo\nsol\n");
  write_text(run_ / "tt", "vni\nzo\nsolo\n");
  ASSERT_EQ(run_gloss({"tokenizer", "train", "--input", run_.corpus("train.source"), "--type", "char", "--output",
                       run_ / "m"})
                .exit_code,
            0);
  const auto outcome = run({"--source", run_ / "s", "--target", run_ / "t", "--test-source", run_ / "ts",
                            "--test-target", run_ / "tt", "--tokenizer", run_ / "m", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto found = json::parse(outcome.out);
  EXPECT_EQ(found.at("usable"), true);
  const auto& training = found.at("sets").at(0);
  EXPECT_THAT(kinds(training), ElementsAre("unknown", "copied", "repeated"));
  EXPECT_EQ(training.at("findings").at(0).at("side"), "target");
  EXPECT_EQ(training.at("findings").at(0).at("first_lines"), (json{1, 4, 5}));
  EXPECT_EQ(training.at("findings").at(2).at("first_lines"), json{4});
  EXPECT_EQ(training.at("findings").at(2).at("count"), 1);
  EXPECT_EQ(training.at("target").at("unknown_characters"), (json{{{"code_point", 'A'}, {"count", 4}},
                                                                  {{"code_point", 'B'}, {"count", 2}},
                                                                  {{"code_point", '#'}, {"count", 1}}}));
  const auto& test = found.at("sets").at(1);
  EXPECT_EQ(test.at("use"), "test");
  EXPECT_THAT(kinds(test), ElementsAre("copied", "pair_in_training", "source_in_training"));
  EXPECT_EQ(test.at("findings").at(1).at("first_lines"), json{1});
  EXPECT_EQ(test.at("findings").at(2).at("first_lines"), json{3});
  const auto text = run({"--source", run_ / "s", "--target", run_ / "t", "--tokenizer", run_ / "m"});
  EXPECT_THAT(text.out, HasSubstr("unknown: A (U+0041) 4, B (U+0042) 2, # (U+0023) 1\n"));
}

TEST_F(CheckDataTest, EverySetIsCheckedWhereOneIsRefused) {
  write_text(run_ / "s", "a\nb\n");
  write_text(run_ / "t", "A\n");
  const auto outcome = run({"--config", run_.config(), "--set", "data.train_source=s", "--set", "data.train_target=t",
                            "--set", "data.valid_source=none", "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  const auto found = json::parse(outcome.out);
  EXPECT_EQ(found.at("usable"), false);
  EXPECT_THAT(kinds(found.at("sets").at(0)), ElementsAre("line_counts"));
  EXPECT_THAT(found.at("sets").at(0).at("findings").at(0).at("message"), HasSubstr("s has 2 lines, "));
  EXPECT_THAT(kinds(found.at("sets").at(1)), ElementsAre("unreadable"));
  EXPECT_THAT(kinds(found.at("sets").at(2)), ElementsAre("copied"));
}

TEST_F(CheckDataTest, TheTokenizerOfTheModelToStartFromIsUsed) {
  const auto model = run_.untrained_model();
  write_text(run_ / "tune.json", R"({"data": {"train_source": "corpus/train.source", "train_target":
    "corpus/train.target"}, "training": {"start_from": "untrained"}})");
  EXPECT_THAT(run({"--config", run_ / "tune.json"}).out,
              AllOf(HasSubstr(" pieces, 0 % unknown"), Not(HasSubstr("words"))));
}

TEST_F(CheckDataTest, ControlCharactersOfATextAreNotEchoed) {
  write_text(run_ / "s", "a \x1b[31m\nb\n");
  write_text(run_ / "t", "A\nB\n");
  ASSERT_EQ(run_gloss({"tokenizer", "train", "--input", run_.corpus("train.source"), "--type", "char", "--output",
                       run_ / "m"})
                .exit_code,
            0);
  const auto outcome = run({"--source", run_ / "s", "--target", run_ / "t", "--tokenizer", run_ / "m"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("source lines with control characters"), Not(HasSubstr("\x1b"))));
}

TEST_F(CheckDataTest, RefusesWhatIsNotAskedForRightly) {
  write_text(run_ / "s", "a\n");
  const auto refused = [&](const std::string& what, const Arguments& more, int code, const std::string& message) {
    expect_outcome({what, check(more), code, message}, run_ / "");
  };
  refused("nothing", {}, 2, "wanted --config, or --source and --target");
  refused("one side", {"--source", run_ / "s"}, 2, "--target");
  refused("a missing file", {"--source", run_ / "s", "--target", run_ / "none"}, 2, "--target: there is no file");
  refused("both", {"--config", run_.config(), "--source", run_ / "s", "--target", run_ / "s"}, 2, "excludes");
  refused("no model", {"--source", run_ / "s", "--target", run_ / "s", "--tokenizer", run_ / "s"}, 3, "SentencePiece");
  refused("a ratio", {"--source", run_ / "s", "--target", run_ / "s", "--max-ratio", "0.5"}, 2, "--max-ratio: wanted");
  ASSERT_EQ(::mkfifo((run_ / "pipe").c_str(), 0600), 0);
  refused("a pipe", {"--source", run_ / "pipe", "--target", run_ / "s"}, 2, "several passes");
}

// A million pairs are 170 MB as text, and 32 MB as hashes at most.
TEST_F(CheckDataTest, MemoryIsThatOfHashes) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  {
    std::ofstream source(run_ / "many.s"), target(run_ / "many.t");
    for (int i = 0; i < 1'000'000; ++i) {
      source << "the number of this source line is " << i << " and it is a long line, as many are in earnest\n";
      target << "the number of this target line is " << i << " and it is a long line, as many are in earnest\n";
    }
  }
  const auto few = run({"--source", run_ / "corpus/train.source", "--target", run_ / "corpus/train.target"});
  const auto many = run({"--source", run_ / "many.s", "--target", run_ / "many.t"});
  EXPECT_THAT(many.out, HasSubstr("1000000 pairs"));
  EXPECT_LT(many.peak_kib, few.peak_kib + (34 << 10));
}

}  // namespace
}  // namespace gloss
