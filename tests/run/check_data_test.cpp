#include "run/check_data.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/line_reader.h"
#include "data/parallel_corpus.h"
#include "tests/run/small_job.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Lines = std::vector<std::string>;
using Use = DataSet::Use;

class CheckDataPipelineTest : public testing::Test {
 protected:
  SetCheck check(const Lines& source, const Lines& target, Use use, DataCheckOptions options = {}) {
    write_lines(folder_ / "s", source);
    write_lines(folder_ / "t", target);
    options.sets = {{use, folder_ / "s", folder_ / "t"}};
    return check_data(options).sets.at(0);
  }
  /// Returns the findings that training refuses, or the others.
  static Lines kinds(const SetCheck& set, bool refused) {
    Lines kinds;
    for (const auto& finding : set.findings)
      if (finding.refused == refused) kinds.push_back(finding.kind);
    return kinds;
  }
  static Finding found(const SetCheck& set, const std::string& kind, const std::string& side = "") {
    for (const auto& finding : set.findings)
      if (finding.kind == kind && finding.side == side) return finding;
    ADD_FAILURE() << "no " << kind << " of " << side;
    return {};
  }
  /// Writes `count` different pairs without any finding.
  static Lines numbered(const std::string& word, std::size_t count) {
    Lines lines;
    for (std::size_t i = 0; i < count; ++i) lines.push_back(word + ' ' + std::to_string(i));
    return lines;
  }

  TemporaryFolder folder_;
};

TEST_F(CheckDataPipelineTest, OneBrokenPairInAHundredIsAFindingMoreAreRefusedExceptInATest) {
  auto source = numbered("a", 200);
  const auto target = numbered("b", 200);
  source[3] = source[5] = "\xFF";
  const auto two = check(source, target, Use::kTraining);
  EXPECT_THAT(kinds(two, true), IsEmpty());
  EXPECT_THAT(found(two, "not_utf8", "source").lines.first_lines, ElementsAre(4, 6));
  source[7] = "\xFF";
  for (const auto use : {Use::kTraining, Use::kValidation}) {
    const auto three = check(source, target, use);
    EXPECT_THAT(kinds(three, true), ElementsAre("encoding"));
    EXPECT_THAT(found(three, "encoding").message, HasSubstr("got 3 of 200 line pairs with other bytes"));
  }
  EXPECT_THAT(kinds(check(source, target, Use::kTest), true), IsEmpty());
}

TEST_F(CheckDataPipelineTest, ASetWithoutUsablePairsIsRefused) {
  for (const auto use : {Use::kTraining, Use::kValidation, Use::kTest})
    EXPECT_THAT(found(check({}, {}, use), "nothing_left").message, HasSubstr("got empty files"));
  const Lines source = {"a a a", ""}, target = {"b b b", "b"};
  EXPECT_THAT(kinds(check(source, target, Use::kTraining, {.max_length = 4}), true), IsEmpty());
  const auto none = check(source, target, Use::kTraining, {.max_length = 3});
  EXPECT_THAT(found(none, "nothing_left").message, HasSubstr("none of 2 pairs can be used"));
  EXPECT_THAT(found(none, "too_long").message, HasSubstr("more than 3 words and eos"));
  EXPECT_THAT(kinds(check(source, target, Use::kTest, {.max_length = 3}), true), IsEmpty());
}

TEST_F(CheckDataPipelineTest, SourceAndTargetInOneFileAreRefusedInTraining) {
  write_lines(folder_ / "one", {"a"});
  std::filesystem::create_symlink(folder_ / "one", folder_ / "link");
  for (const auto use : {Use::kTraining, Use::kTest}) {
    const auto result = check_data({.sets = {{use, folder_ / "one", folder_ / "link"}}});
    EXPECT_EQ(result.usable(), use == Use::kTest);
    EXPECT_EQ(kinds(result.sets[0], true), use == Use::kTest ? Lines{} : Lines{"same_file"});
  }
}

TEST_F(CheckDataPipelineTest, ALineTooLongToBeScoredIsRefusedInScoredSets) {
  const std::string line(LineReader::kMaxLineBytes + 1, 'x');
  for (const bool in_source : {true, false}) {
    const Lines source = {"a", in_source ? line : "b"}, target = {"a", in_source ? "b" : line};
    const auto training = check(source, target, Use::kTraining);
    EXPECT_THAT(kinds(training, true), IsEmpty());
    EXPECT_EQ(training.corpus->fit_pairs, 1);
    for (const auto use : {Use::kValidation, Use::kTest}) {
      const auto held_out = check(source, target, use);
      EXPECT_THAT(kinds(held_out, true), ElementsAre("cut"));
      EXPECT_THAT(found(held_out, "cut").message, HasSubstr((folder_ / (in_source ? "s" : "t")).string() + ": a line"));
    }
  }
}

TEST_F(CheckDataPipelineTest, LengthsAreComparedInCharactersOrPiecesAndTheLimitIsReported) {
  const Lines source = {std::string(80, 'x')}, target = {std::string(10, 'y')};
  EXPECT_THAT(kinds(check(source, target, Use::kTraining), false), IsEmpty());
  const auto at_seven = check(source, target, Use::kTraining, {.max_ratio = 7.5});
  EXPECT_THAT(found(at_seven, "ratio").message, HasSubstr("more than 7.5 times as long as the other, in characters"));
  const auto nine = check({std::string(91, 'x')}, target, Use::kTraining);
  EXPECT_THAT(found(nine, "ratio").message, HasSubstr("more than 9 times"));
}

TEST_F(CheckDataPipelineTest, OddBytesAreReportedForTheirSide) {
  const auto result = check({"\xEF\xBB\xBF"
                             "a",
                             "b\r", "c\x01"},
                            {"d", "e", std::string("f\0", 2)}, Use::kTest);
  EXPECT_THAT(found(result, "byte_order_mark", "source").lines.first_lines, ElementsAre(1));
  EXPECT_THAT(found(result, "windows_line_end", "source").lines.first_lines, ElementsAre(2));
  EXPECT_THAT(found(result, "control", "source").lines.first_lines, ElementsAre(3));
  EXPECT_THAT(found(result, "nul", "target").lines.first_lines, ElementsAre(3));
  EXPECT_EQ(result.findings.size(), 4u);
}

TEST_F(CheckDataPipelineTest, WhatCannotBeReadIsRefused) {
  write_lines(folder_ / "s", {"a"});
  const auto result = check_data({.sets = {{Use::kValidation, folder_ / "s", folder_ / "none"}}});
  EXPECT_FALSE(result.usable());
  EXPECT_FALSE(result.sets[0].corpus.has_value());
  const auto json = to_json(result);
  EXPECT_EQ(json.at("usable"), false);
  EXPECT_EQ(json.at("sets").at(0).at("findings").at(0).at("refused"), true);
}

TEST_F(CheckDataPipelineTest, TheTrainingTextIsComparedWithEverySetInAnyOrder) {
  write_lines(folder_ / "s", {"a", "b", "c"});
  write_lines(folder_ / "t", {"A", "B", "C"});
  write_lines(folder_ / "vs", {"b", "z"});
  write_lines(folder_ / "vt", {"B", "Z"});
  write_lines(folder_ / "es", {"c"});
  write_lines(folder_ / "et", {"other"});
  const auto result = check_data({.sets = {{Use::kTraining, folder_ / "s", folder_ / "t"},
                                           {Use::kValidation, folder_ / "vs", folder_ / "vt"},
                                           {Use::kTest, folder_ / "es", folder_ / "et"}}});
  EXPECT_THAT(kinds(result.sets[1], false), ElementsAre("pair_in_training"));
  EXPECT_THAT(kinds(result.sets[2], false), ElementsAre("source_in_training"));
  EXPECT_TRUE(result.usable());
}

// check-data and training share the function that decides (data/pair_verdict.h).
TEST_F(CheckDataPipelineTest, BlankLinesAreEmptyWithEveryNormalization) {
  const Lines source = {"a", "\u200b", "\u3000", " "}, target = {"b", "b", "b", "b"};
  const auto folded = check(source, target, Use::kTraining);
  EXPECT_THAT(found(folded, "empty", "source").lines.first_lines, ElementsAre(2, 3, 4));
  EXPECT_EQ(folded.corpus->fit_pairs, 1);
  const auto as_they_are = check(source, target, Use::kTraining, {.normalization = Normalization::kIdentity});
  EXPECT_THAT(found(as_they_are, "empty", "source").lines.first_lines, ElementsAre(2, 3, 4));
}

TEST_F(CheckDataPipelineTest, FiltersApplyToTheTrainingTextsOnlyAndAcrossThem) {
  write_lines(folder_ / "s", {"a", "x", "a"});
  write_lines(folder_ / "t", {"A", "x", "A"});
  write_lines(folder_ / "more.s", {"b", "a"});
  write_lines(folder_ / "more.t", {"B", "A"});
  DataCheckOptions options{.sets = {{Use::kTraining, folder_ / "s", folder_ / "t"},
                                    {Use::kValidation, folder_ / "s", folder_ / "t"},
                                    {Use::kTraining, folder_ / "more.s", folder_ / "more.t"}}};
  options.filters.skip_copied = true;
  options.repeated.emplace(std::vector<std::vector<std::size_t>>{{}, {0}});
  for (int i = 0; i < 2; ++i) {
    const auto result = check_data(options);
    EXPECT_THAT(kinds(result.sets[0], false), ElementsAre("skipped_copied", "skipped_repeated"));
    EXPECT_THAT(found(result.sets[0], "skipped_repeated").lines.first_lines, ElementsAre(3));
    EXPECT_EQ(result.sets[0].corpus->fit_pairs, 1);
    EXPECT_THAT(kinds(result.sets[1], false), ElementsAre("copied", "repeated", "pair_in_training"));
    EXPECT_EQ(result.sets[1].corpus->fit_pairs, 3);
    EXPECT_THAT(found(result.sets[2], "skipped_repeated").lines.first_lines, ElementsAre(2))
        << "the options are used again, without pairs";
  }
}

TEST_F(CheckDataPipelineTest, FiltersSkipThePairsThatTrainingSkips) {
  SmallJob job;
  auto& data = job.config.data;
  auto sources = lines_of_file(data.train_source);
  for (std::size_t i = 0; i < 20; ++i) sources[i] += " a";
  sources[5] = sources[6] = std::string(40, 'a');
  sources[8] = sources[7];
  auto targets = lines_of_file(data.train_target);
  targets[5] = targets[6] = "a";
  targets[8] = targets[7];
  write_lines(data.train_source, sources);
  write_lines(data.train_target, targets);
  testing::internal::CaptureStderr();
  job.run();  // for its tokenizer
  testing::internal::GetCapturedStderr();
  job.config.tokenizer.model_file = job / "run/tokenizer.model";
  data.filters = {.max_ratio = 4, .skip_copied = true, .skip_repeated = true};
  const auto checked = check_data(data_check_options(job.config)).sets.at(0);
  const auto tokenizer = load_tokenizer(job / "run/tokenizer.model");
  auto repeated = data.repeated_pairs();
  const auto corpus = ParallelCorpus::read(
      data.train_source, data.train_target, *tokenizer, *tokenizer,
      {.max_length = data.max_length, .filters = data.filters, .repeated = repeated ? &*repeated : nullptr});
  const auto& report = corpus.reports().at(0);
  EXPECT_THAT(report.ratio.first_lines, ElementsAre(6, 7));
  EXPECT_THAT(report.repeated.first_lines, ElementsAre(9));
  EXPECT_GT(report.copied.count, 0);
  EXPECT_EQ(checked.corpus->fit_pairs, report.pairs);
  EXPECT_EQ(checked.corpus->skipped_ratio.first_lines, report.ratio.first_lines);
  EXPECT_EQ(checked.corpus->skipped_copied.count, report.copied.count);
  EXPECT_EQ(checked.corpus->skipped_repeated.count, report.repeated.count);
  EXPECT_THAT(found(checked, "skipped_ratio").message, HasSubstr("more than data.max_ratio = 4 times the pieces"));
}

TEST_F(CheckDataPipelineTest, InitialEmbeddingsAreReadAsTrainingReadsThem) {
  const auto check_file = [&](const Lines& lines) {
    write_lines(folder_ / "vectors", lines);
    return check({"a"}, {"b"}, Use::kTraining, {.embeddings = {{folder_ / "vectors", nullptr}}, .embedding_width = 2});
  };
  EXPECT_THAT(check_file({"a 1 2", "b 3 4"}).findings, IsEmpty());
  EXPECT_THAT(found(check_file({"a 1 2 3"}), "embeddings").message, HasSubstr("wanted vectors of model.d_model = 2"));
  auto lines = numbered("a 1", 200);
  lines[6] = "a 1";
  EXPECT_THAT(found(check_file(lines), "embeddings").lines.first_lines, ElementsAre(7));
  lines[7] = lines[8] = "a 1";
  EXPECT_TRUE(found(check_file(lines), "embeddings").refused);
}

TEST_F(CheckDataPipelineTest, ARunFileNamesTheSetsTheLimitAndTheTokenizers) {
  testing::internal::CaptureStderr();
  SmallJob job;
  job.use_two_tokenizers(TieEmbeddings::kNone);
  job.run();
  testing::internal::GetCapturedStderr();
  auto options = data_check_options(job.config);
  ASSERT_EQ(options.sets.size(), 3u);
  const auto& data = job.config.data;
  const auto expect_set = [&](std::size_t i, Use use, const std::string& source, const std::string& target) {
    EXPECT_TRUE(options.sets[i].use == use && options.sets[i].source == source && options.sets[i].target == target)
        << i;
  };
  expect_set(0, Use::kTraining, data.train_source, data.train_target);
  expect_set(1, Use::kValidation, data.valid_source, data.valid_target);
  expect_set(2, Use::kTest, data.test_source, data.test_target);
  EXPECT_EQ(options.max_length, 64);
  EXPECT_EQ(options.source_tokenizer, nullptr);

  auto tuned = job.config;
  tuned.training.start_from = job / "run";
  tuned.data.valid_source = tuned.data.valid_target = tuned.data.test_source = tuned.data.test_target = "";
  options = data_check_options(tuned);
  EXPECT_EQ(options.sets.size(), 1u);
  const auto result = check_data(options);
  EXPECT_TRUE(result.in_pieces);
  EXPECT_THAT(kinds(result.sets[0], false), Not(Contains("unknown"))) << "each side by its own tokenizer";
}

}  // namespace
}  // namespace gloss
