#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using nlohmann::json;

/// Output of sacreBLEU's command for files in the working folder.
class SacrebleuOutputTest : public testing::Test {
 protected:
  SacrebleuOutputTest()
      : golden_(json::parse(read_text(std::filesystem::path(GLOSS_GOLDEN_FOLDER) / "sacrebleu_output.json"))) {
    const auto models = folder_ / "kept" / "models";
    std::filesystem::create_directories(models);
    for (const auto* name : {"sacrebleu_tokenizer_spm.model", "flores200sacrebleuspm", "spbleu-1k_tokenizer_spm.model"})
      std::filesystem::copy_file(GLOSS_GOLDEN_FOLDER "/pieces.model", models / name);
    for (const auto& [name, text] : golden_.at("files").items()) write_text(folder_ / name, text);
    std::filesystem::current_path(folder_.path());
  }
  ~SacrebleuOutputTest() override { std::filesystem::current_path(before_); }

  std::string file(const std::string& name) const { return golden_.at("files").at(name); }

  const json golden_;

 private:
  TemporaryFolder folder_;
  EnvironmentVariable kept_{"SACREBLEU", folder_ / "kept"}, seed_{"SACREBLEU_SEED", {}}, form_{"SACREBLEU_FORMAT", {}};
  std::filesystem::path before_ = std::filesystem::current_path();
};

/// gloss in place of sacreBLEU: only where its default form is wanted is that said.
Arguments in_place_of(const Arguments& sacrebleu) {
  Arguments arguments = {"evaluate"};
  arguments.insert(arguments.end(), sacrebleu.begin(), sacrebleu.end());
  const auto says_form = [](const std::string& argument) { return argument == "-f" || argument == "--format"; };
  if (std::ranges::none_of(sacrebleu, says_form)) arguments.insert(arguments.end(), {"--format", "sacrebleu"});
  return arguments;
}

/// Without the remarks on a paired test, which are gloss's own.
std::string without_remarks(std::string output) {
  const auto begin = output.find(" - Compared with "), end = output.find("-----------------\nMetric signatures");
  if (begin != std::string::npos && end != std::string::npos) output.erase(begin, end - begin);
  return output;
}

TEST_F(SacrebleuOutputTest, NobodyCanTellWhichProgramPrinted) {
  ASSERT_FALSE(golden_.at("cases").empty());
  for (const auto& golden : golden_.at("cases")) {
    const auto arguments = in_place_of(golden.at("arguments").get<Arguments>());
    SCOPED_TRACE(testing::PrintToString(arguments));
    const auto& input = golden.at("stdin");
    const auto outcome = run_gloss(arguments, input.is_null() ? "" : file(input.get<std::string>()));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(without_remarks(outcome.out), golden.at("output").get<std::string>());
  }
}

TEST_F(SacrebleuOutputTest, TheEnvironmentNamesTheForm) {
  const auto printed = [](const Arguments& more) {
    Arguments arguments = {"evaluate", "r1", "-i", "h1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments).out;
  };
  const auto text = printed({"--format", "text"});
  EXPECT_NE(text, printed({"--format", "sacrebleu"}));
  const EnvironmentVariable form("SACREBLEU_FORMAT", "TEXT");
  EXPECT_EQ(text, printed({"--format", "sacrebleu"}));
  EXPECT_EQ(text, printed({"-f", "json"}));
  EXPECT_NE(text, printed({}));
  const EnvironmentVariable no_form("SACREBLEU_FORMAT", "xml");
  EXPECT_EQ(text, printed({"-f", "text"}));
}

// A text must not pass for one of a published tokenizer.
TEST_F(SacrebleuOutputTest, AModelIsNamedByItsHashUnlessItIsThePublishedOne) {
  const auto printed = [](const Arguments& more) {
    Arguments arguments = {"evaluate", "r1", "-i", "h1", "-f", "text"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments).out;
  };
  const auto published = printed({"--tokenize", "flores200"});
  EXPECT_NE(published.find("|tok:flores200|"), std::string::npos);
  const Arguments given = {"--tokenize", "flores200", "--spm-model", GLOSS_GOLDEN_FOLDER "/pieces.model"};
  EXPECT_EQ(printed(given), published);
  std::filesystem::remove("kept/models/flores200sacrebleuspm");
  EXPECT_EQ(printed(given), std::regex_replace(published, std::regex("flores200"), "spm-bf00b676"));
  write_text("kept/models/flores200sacrebleuspm", "another");
  EXPECT_NE(printed(given).find("|tok:spm-bf00b676|"), std::string::npos);
}

TEST_F(SacrebleuOutputTest, NamesBehindTwoHyphensAreFiles) {
  std::filesystem::copy_file("r1", "-b");
  const auto outcome = run_gloss({"evaluate", "-i", "h1", "-f", "text", "--", "-b"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, run_gloss({"evaluate", "-i", "h1", "-f", "text", "--", "r1"}).out);
}

TEST_F(SacrebleuOutputTest, LongNamesMayHaveTheirValueBehindAnEqualitySign) {
  const auto outcome = run_gloss({"evaluate", "r1", "--input=h1", "-f", "text"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, run_gloss({"evaluate", "r1", "-i", "h1", "-f", "text"}).out);
  EXPECT_EQ(run_gloss({"evaluate", "r1", "-i=h1", "-f", "text"}).exit_code, 2);
}

// Of a shell's `{ read header; gloss ...; } <file`.
TEST_F(SacrebleuOutputTest, StdinIsReadFromWhereItStands) {
  const auto text = read_text("h1");
  write_text("with-header", "header\n" + text);
  const auto command = "{ read header; " GLOSS_PROGRAM " evaluate r1 -f text; } <with-header >printed";
  ASSERT_EQ(std::system(command), 0);
  EXPECT_EQ(read_text("printed"), run_gloss({"evaluate", "r1", "-f", "text"}, text).out);
}

TEST_F(SacrebleuOutputTest, ResultDoesNotDependOnThreads) {
  const Arguments arguments = {"evaluate", "r1",  "r2",   "-i",    "h1", "h2",     "-m", "bleu",
                               "chrf",     "ter", "-pbs", "-pbsn", "40", "--json", "-j"};
  auto one = arguments, three = arguments;
  one.emplace_back("1");
  three.emplace_back("3");
  EXPECT_EQ(run_gloss(one).out, run_gloss(three).out);
}

}  // namespace
}  // namespace gloss
