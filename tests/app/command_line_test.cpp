#include "app/command_line.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/app/process.h"
#include "tests/app/small_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;
using testing::StartsWith;

/// A refusal: exit code, nothing on stdout, one line on stderr.
void expect_refusal(const Arguments& arguments, int exit_code, const testing::Matcher<const std::string&>& message) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  const auto outcome = run_gloss(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(StartsWith("gloss: "), message));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

const std::vector<Arguments> kCommands = {
    {"train-translate"},     {"translate"},           {"evaluate"},    {"tokenizer", "train"},
    {"tokenizer", "encode"}, {"tokenizer", "decode"}, {"make-corpus"}, {"inspect"}};

TEST(CommandLineTest, EveryCommandExplainsItselfWithAnExample) {
  for (auto command : kCommands) {
    command.push_back("--help");
    const auto outcome = run_gloss(command);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Example:\n  gloss " + command.front()), HasSubstr("--threads")));
  }
}

TEST(CommandLineTest, HelpListsTheCommands) {
  const auto outcome = run_gloss({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  std::vector<std::string> listed;  // the first word of each line below the heading
  auto lines = std::istringstream(outcome.out.substr(outcome.out.find("Subcommands:\n")));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");) {
    std::string name;
    std::istringstream(line) >> name;
    listed.push_back(name);
    EXPECT_THAT(line, MatchesRegex("  [a-z, -]+  +[A-Z].+")) << "wanted a name and an explanation";
  }
  EXPECT_THAT(listed, ElementsAre("train-translate,", "translate", "evaluate", "tokenizer", "make-corpus", "inspect"));
}

TEST(CommandLineTest, WithoutACommandHelpGoesToStderr) {
  for (const Arguments& arguments : {Arguments{}, Arguments{"tokenizer"}}) {
    const auto outcome = run_gloss(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("Usage: gloss"));
  }
}

TEST(CommandLineTest, VersionIsOneLine) {
  const auto outcome = run_gloss({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, testing::MatchesRegex("gloss [0-9.]+\n"));
}

TEST(CommandLineTest, SuggestsTheOptionThatWasMeant) {
  expect_refusal({"translate", "--modle", "m"}, 2, HasSubstr("unknown option --modle; did you mean --model?"));
  expect_refusal({"translate", "--model", "m", "--baem=3"}, 2, HasSubstr("--baem; did you mean --beam?"));
  expect_refusal({"translate", "--model", "m", "--zzzzzz"}, 2, HasSubstr("unknown option --zzzzzz; see gloss"));
}

TEST(CommandLineTest, SuggestsTheCommandThatWasMeant) {
  expect_refusal({"tranlsate"}, 2, HasSubstr("unknown command tranlsate; did you mean translate?"));
  expect_refusal({"tranlsate", "--model", "m"}, 2, HasSubstr("unknown command tranlsate; did you mean translate?"));
  expect_refusal({"tokenizer", "encod"}, 2, HasSubstr("unknown command encod; did you mean encode?"));
}

TEST(CommandLineTest, RefusesAnArgumentThatNothingAsksFor) {
  expect_refusal({"translate", "--model", "m", "input.txt"}, 2, HasSubstr("unexpected argument input.txt"));
}

TEST(CommandLineTest, RefusesAnOptionGivenTwice) {
  expect_refusal({"translate", "--model", "a", "--model", "b"}, 2, HasSubstr("--model is given 2 times"));
  expect_refusal({"inspect", "a", "--quiet", "--quiet"}, 2, HasSubstr("--quiet is given 2 times"));
}

TEST(CommandLineTest, RefusesAnOptionWithoutItsValue) {
  expect_refusal({"translate", "--model"}, 2, HasSubstr("--model"));
  expect_refusal({"translate", "--model", "--beam", "3"}, 2, HasSubstr("wanted a value, got the option --beam"));
  expect_refusal({"inspect", ""}, 2, HasSubstr("wanted a value, got an empty one"));
}

TEST(CommandLineTest, RefusesWhatIsNoNumberOrOutOfRange) {
  for (const auto* beam : {"-1", "1.5", "1e3", "0x10", "many", "99999999999999999999"})
    expect_refusal({"translate", "--model", "m", "--beam", beam}, 2, HasSubstr("--beam: wanted a whole number"));
  for (const auto* penalty : {"nan", "inf", "x", "1e999"})
    expect_refusal({"translate", "--model", "m", "--length-penalty", penalty}, 2, HasSubstr("wanted a number"));
}

/// What reading the arguments, before anything is done, finds wrong with them.
std::string fault_of(const Arguments& arguments) {
  std::vector<const char*> words = {"gloss"};
  for (const auto& argument : arguments) words.push_back(argument.c_str());
  try {
    parse_command_line(static_cast<int>(words.size()), words.data());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

// By the name that the person typed.
TEST(CommandLineTest, JudgesEveryNumberAtOnce) {
  struct Number {
    Arguments command;
    std::string option;
    std::vector<std::string> refused;
  };
  const Arguments translate = {"translate", "--model", "/no/such/model"};
  const Arguments tokenizer = {"tokenizer", "train", "--input", "/no/such/text", "--output", "/no/such/folder/x"};
  const Arguments corpus = {"make-corpus", "copy", "--out", "/proc/no/such/folder"};
  const Arguments train = {"train", "--config", "/no/such/run.json"};
  const std::vector<std::string> letters = {"many", "0x10", "3 ", "+3", ""}, no_count = {"-1", "3.5", "1e30"};
  const std::vector<Number> numbers = {
      {translate, "--beam", {"0", "1000000000"}},
      {translate, "--n-best", {"0", "1000000000"}},
      {translate, "--max-length", {"0", "1000000000"}},
      {translate, "--batch-size", {"0", "1000000000"}},
      {translate, "--threads", {"0", "1000000000"}},
      {translate, "--length-penalty", {"-1", "1000000000", "1e30"}},
      {translate, "--patience", {"0", "-1", "1000000000", "1e30"}},
      {tokenizer, "--vocabulary-size", {"0", "4", "1000000000"}},
      {corpus, "--size", {"0", "1000000000"}},
      {corpus, "--max-words", {"0", "1000000000"}},
      {corpus, "--seed", {}},
      {train, "--seed", {}},
  };
  for (auto [command, option, refused] : numbers) {
    const bool is_count = option != "--length-penalty" && option != "--patience";
    refused.insert(refused.end(), letters.begin(), letters.end());
    if (is_count) refused.insert(refused.end(), no_count.begin(), no_count.end());
    command.insert(command.end(), {option, {}});
    for (const auto& value : refused) {
      command.back() = value;
      EXPECT_THAT(fault_of(command), StartsWith(option + ": wanted a ")) << value;
    }
  }
}

TEST(CommandLineTest, MoreResultsThanTheBeamHoldsAreRefusedAtOnce) {
  const Arguments both = {"translate", "--model", "/no/such/model", "--beam", "2", "--n-best", "3"};
  expect_refusal(both, 2, HasSubstr("--n-best: wanted a whole number from 1 to --beam (2), got 3"));
}

TEST(CommandLineTest, SettingsOfTheLibrariesBearTheNamesOfTheirOptions) {
  const TemporaryFolder folder;
  write_text(folder / "text", "a b c\n");
  expect_refusal(
      {"tokenizer", "train", "--input", folder / "text", "--vocabulary-size", "900", "--output", folder / "m"}, 2,
      StartsWith("gloss: --vocabulary-size: wanted at most "));
  expect_refusal({"make-corpus", "copy", "--size", "1000", "--max-words", "1", "--out", folder / "c"}, 2,
                 StartsWith("gloss: --size: wanted no more pairs"));
}

TEST(CommandLineTest, RefusesTwoCommandsOnOneLine) {
  expect_refusal({"translate", "evaluate", "--model", "m"}, 2, HasSubstr("unexpected argument evaluate"));
  expect_refusal({"translate", "--model", "m", "inspect"}, 2, HasSubstr("unexpected argument inspect"));
  expect_refusal({"inspect", "train"}, 2, HasSubstr("there is no file train"));  // a file may have a command's name
}

TEST(CommandLineTest, APathThatIsTooLongIsAnErrorLikeAnother) {
  const std::string path(300, 'x');
  const TemporaryFolder folder;
  write_text(folder / "text", "a\n");
  const auto refused = [&](const Arguments& arguments) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const auto outcome = run_gloss(arguments);
    EXPECT_THAT(outcome.exit_code, AnyOf(2, 4));
    EXPECT_THAT(outcome.err, AllOf(StartsWith("gloss: "), HasSubstr("xxx"), HasSubstr("File name too long")));
    EXPECT_THAT(lines_of(outcome.err), SizeIs(1));
  };
  refused({"inspect", path});
  refused({"translate", "--model", path});
  refused({"train", "--config", path});
  refused({"inspect", "m", "--log-json", path});
  refused({"make-corpus", "copy", "--size", "1", "--out", folder / path});
  refused({"evaluate", "--reference", path, "--hypothesis", path});
}

TEST(CommandLineTest, AClosedStdoutIsAnErrorWhereThereAreResults) {
  for (const Arguments& arguments : {Arguments{"--version"}, Arguments{"translate", "--help"}}) {
    const auto outcome = Process(arguments, {.closed_out = true}).wait();
    EXPECT_EQ(outcome.exit_code, 4);
    EXPECT_THAT(outcome.err, HasSubstr("stdout: cannot write"));
  }
  const TemporaryFolder folder;
  EXPECT_EQ(Process({"make-corpus", "copy", "--out", folder / "c"}, {.closed_out = true}).wait().exit_code, 0);
}

TEST(CommandLineTest, RefusesAnUnknownChoiceAndListsThem) {
  expect_refusal({"make-corpus", "shuffle", "--out", "x"}, 2, HasSubstr("wanted one of demo, copy, reverse, got shuffle"));
  expect_refusal({"evaluate", "--hypothesis", "a", "--reference", "b", "--metrics", "meteor"}, 2,
                 HasSubstr("--metrics: wanted bleu, got meteor"));
}

TEST(CommandLineTest, RefusesADeviceThatIsNotThere) {
  expect_refusal({"inspect", "m", "--device", "tpu"}, 2, HasSubstr("wanted auto, cpu, cuda or cuda:N, got tpu"));
  expect_refusal({"inspect", "m", "--device", "cuda:99"}, 2, HasSubstr("CUDA device"));
}

TEST(CommandLineTest, RefusesOptionsThatExcludeEachOther) {
  expect_refusal({"train", "--config", "c", "--resume", "--overwrite"}, 2, HasSubstr("--resume"));
  expect_refusal({"evaluate", "--reference", "r"}, 2, HasSubstr("wanted --hypothesis, or --model and --source"));
  expect_refusal({"evaluate", "--reference", "r", "--model", "m"}, 2, HasSubstr("--source"));
  expect_refusal({"evaluate", "--reference", "r", "--model", "m", "--source", "s", "--hypothesis", "h"}, 2,
                 HasSubstr("excludes"));
}

TEST(CommandLineTest, AFileNamedByAnOptionThatIsMissingIsAUsageError) {
  expect_refusal({"translate", "--model", "/no/such/model"}, 2, HasSubstr("/no/such/model"));
  expect_refusal({"train", "--config", "/no/such/run.json"}, 2, HasSubstr("/no/such/run.json"));
  expect_refusal({"inspect", "/no/such/model"}, 2, HasSubstr("/no/such/model"));
  expect_refusal({"evaluate", "--hypothesis", "/no/such/h", "--reference", "/no/such/r"}, 2, HasSubstr("/no/such/r"));
  expect_refusal({"tokenizer", "encode", "--model", "/no/such/model"}, 2, HasSubstr("/no/such/model"));
  expect_refusal({"tokenizer", "train", "--input", "/no/such/text", "--output", "x"}, 2, HasSubstr("/no/such/text"));
}

TEST(CommandLineTest, ControlCharactersAreNeverEchoed) {
  expect_refusal({"inspect", "a\x1b[31mb\nc"}, 2, HasSubstr("a\\x1b[31mb\\nc"));
}

TEST(CommandLineTest, FileThatCannotBeWrittenIsAnIoError) {
  expect_refusal({"inspect", "m", "--log-json", "/no/such/folder/log"}, 4, HasSubstr("/no/such/folder/log"));
}

TEST(CommandLineTest, SpacesAndUnicodeInPathsWork) {
  const TemporaryFolder folder;
  const auto out = folder / "mit Leerzeichen – Übung";
  EXPECT_EQ(run_gloss({"make-corpus", "copy", "--out", out, "--size", "20"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(out) / "train.source"));
}

}  // namespace
}  // namespace gloss
