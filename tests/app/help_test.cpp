#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/help/help_formatter.h"
#include "common/config/settings.h"
#include "common/files/atomic_file.h"
#include "data/data_config.h"
#include "decoding/decoding_config.h"
#include "tests/app/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::vector<Arguments> kAllCommands = {{},
                                             {"train-translate"},
                                             {"translate"},
                                             {"evaluate"},
                                             {"align"},
                                             {"tokenizer"},
                                             {"tokenizer", "train"},
                                             {"score"},
                                             {"tokenizer", "encode"},
                                             {"tokenizer", "decode"},
                                             {"make-corpus"},
                                             {"average"},
                                             {"convert"},
                                             {"import"},
                                             {"export"},
                                             {"inspect"},
                                             {"check-data"},
                                             {"doctor"},
                                             {"help"},
                                             {"completion"},
                                             {"man"}};

std::string help_of(Arguments command) {
  command.push_back("--help");
  return run_gloss(command).out;
}

TEST(WrappedTest, BreaksLinesAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 2, 8), "one two\n  three");
  EXPECT_EQ(wrapped("one", 2, 8), "one");
  EXPECT_EQ(wrapped("muchtoolong two", 2, 8), "muchtoolong\n  two");
}

TEST(HelpTest, NoLineIsLongerThan100Columns) {
  for (const auto& command : kAllCommands) {
    SCOPED_TRACE(testing::PrintToString(command));
    std::istringstream lines(help_of(command));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100u) << line;
    EXPECT_GT(count, 5u);
  }
}

TEST(HelpTest, EachDeclaredOptionIsThereWithItsSentence) {
  const auto expect_options = [](const auto& settings, const Arguments& command) {
    auto help = help_of(command);
    std::ranges::replace(help, '\n', ' ');
    help.erase(std::unique(help.begin(), help.end(), [](char a, char b) { return a == ' ' && b == ' '; }), help.end());
    int found = 0;
    for (const auto& setting : settings.list()) {
      if (setting.flag.empty()) continue;
      ++found;
      std::string sentence(setting.help);
      std::erase(sentence, '`');
      if (setting.key != "n_best") {
        EXPECT_THAT(help, HasSubstr(sentence));
      }
      EXPECT_THAT(help, ContainsRegex(" " + std::string(setting.flag) + " ")) << setting.key;
      if (!setting.off_flag.empty()) {
        EXPECT_THAT(help, HasSubstr(" " + std::string(setting.off_flag) + " "));
      }
    }
    EXPECT_GT(found, 0);
  };
  expect_options(decoding_settings(), {"translate"});
  expect_options(data_settings(), {"train-translate"});
  expect_options(tokenizer_settings(), {"tokenizer", "train"});
}

TEST(HelpTest, OptionsStandBelowHeadings) {
  const auto help = help_of({"translate"});
  std::size_t place = 0;
  for (const auto* heading : {"Usage: gloss translate --model FILE-OR-DIR [OPTIONS]\n", "\nRequired:\n  --model ",
                              "\nInput:\n  --input ", "\nOutput:\n", "\nSearch (defaults: the model's):\n  --beam N ",
                              "\nSampling (defaults: the model's):\n  --sample ", "\nMachine:\n  --device ",
                              "\nMessages:\n", "\nExamples:\n  gloss translate "}) {
    const auto found = help.find(heading, place);
    ASSERT_NE(found, help.npos) << heading << " in order in\n" << help;
    place = found;
  }
}

TEST(HelpTest, TheHelpCommandPrintsWhatHelpOptionsPrint) {
  EXPECT_EQ(run_gloss({"help"}).out, help_of({}));
  for (const auto& command : {Arguments{"translate"}, {"tokenizer", "train"}, {"tokenizer"}}) {
    Arguments asked = command;
    asked.insert(asked.begin(), "help");
    EXPECT_EQ(run_gloss(asked).out, help_of(command));
  }
  EXPECT_EQ(run_gloss({"help", "train"}).out, help_of({"train-translate"})) << "an alias";
  const auto unknown = run_gloss({"help", "tranlsate"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown command tranlsate; did you mean translate?"));
}

/// Words that bash offers for the last of `words`.
std::string completed(const std::string& words) {
  const TemporaryFolder folder;
  const auto script = run_gloss({"completion", "bash"});
  EXPECT_EQ(script.exit_code, 0);
  write_file(folder / "completion", script.out + "COMP_WORDS=(" + words +
                                        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_gloss\necho ${COMPREPLY[*]}\n");
  Process process({folder / "completion"}, {.launcher = {"bash", "-c", "exec bash \"$1\""}});
  return process.wait().out;
}

TEST(CompletionTest, BashOffersCommandsOptionsAndChoices) {
  EXPECT_EQ(completed("gloss trans"), "translate translate-file\n");
  EXPECT_EQ(completed("gloss tokenizer e"), "encode\n");
  EXPECT_EQ(completed("gloss translate --model m --be"), "--beam\n");
  EXPECT_EQ(completed("gloss train --res"), "--resume\n");
  EXPECT_EQ(completed("gloss translate --length-penalty-kind g"), "gnmt\n");
  EXPECT_EQ(completed("gloss inspect --be"), "\n");
}

TEST(CompletionTest, EachShellHasAScriptWithEachOptionOfTranslate) {
  for (const auto* shell : {"bash", "zsh", "fish"}) {
    const auto script = run_gloss({"completion", shell}).out;
    for (const auto& setting : decoding_settings().list())
      if (!setting.flag.empty()) {
        EXPECT_THAT(script, HasSubstr(std::string(setting.flag).substr(2))) << shell;
      }
  }
  EXPECT_EQ(run_gloss({"completion", "tcsh"}).exit_code, 2);
}

TEST(ManTest, WritesAPageForEachCommand) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_gloss({"man", "--out", folder / "man1"}).exit_code, 0);
  for (auto command : kAllCommands) {
    std::string name = "gloss";
    for (const auto& word : command) name += '-' + word;
    ASSERT_TRUE(std::filesystem::exists(folder / ("man1/" + name + ".1"))) << name;
  }
  const auto page = read_file(folder / "man1/gloss-translate.1", 1 << 20);
  EXPECT_THAT(page, AllOf(HasSubstr(".TH gloss\\-translate 1"), HasSubstr("\\-\\-beam N"), HasSubstr(".SH EXAMPLES")));
  EXPECT_THAT(page, Not(ContainsRegex("\n'"))) << "a line that begins with an apostrophe is a request";
}

}  // namespace
}  // namespace gloss
