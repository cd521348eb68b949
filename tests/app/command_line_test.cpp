#include "app/command_line.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

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

const std::vector<Arguments> kCommands = {{"train-translate"},
                                          {"translate"},
                                          {"evaluate"},
                                          {"align"},
                                          {"tokenizer", "train"},
                                          {"tokenizer", "encode"},
                                          {"tokenizer", "decode"},
                                          {"make-corpus"},
                                          {"inspect"},
                                          {"check-data"},
                                          {"doctor"}};

TEST(CommandLineTest, EveryCommandExplainsItselfWithAnExample) {
  for (auto command : kCommands) {
    command.push_back("--help");
    const auto outcome = run_gloss(command);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples:\n  gloss " + command.front()), HasSubstr("--threads")));
  }
}

TEST(CommandLineTest, HelpListsTheCommands) {
  const auto outcome = run_gloss({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  std::vector<std::string> listed;  // the first word of each line below the heading
  auto lines = std::istringstream(outcome.out.substr(outcome.out.find("Commands:\n")));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");) {
    if (line.starts_with("   ")) continue;  // the rest of an explanation
    std::string name;
    std::istringstream(line) >> name;
    listed.push_back(name);
    EXPECT_THAT(line, MatchesRegex("  [a-z, -]+  +[A-Z].+")) << "wanted a name and an explanation";
  }
  EXPECT_THAT(listed, ElementsAre("train-translate,", "translate", "translate-file", "serve", "evaluate", "align",
                                  "tokenizer", "make-corpus", "average", "convert", "import", "export", "score",
                                  "inspect", "explain", "check-data", "doctor", "help", "completion", "man"));
}

TEST(CommandLineTest, WithoutACommandHelpGoesToStderr) {
  for (const Arguments& arguments : {Arguments{}, Arguments{"tokenizer"}}) {
    const auto outcome = run_gloss(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("Usage: gloss"));
  }
}

TEST(CommandLineTest, VersionIsOneLineWithTheCommitAndLibTorch) {
  const auto outcome = run_gloss({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, testing::MatchesRegex("gloss [0-9.]+ \\((commit [0-9a-f]+, )?LibTorch [0-9.]+[^ ]*\\)\n"));
}

TEST(CommandLineTest, SuggestsTheOptionThatWasMeant) {
  expect_refusal({"translate", "--modle", "m"}, 2, HasSubstr("unknown option --modle; did you mean --model?"));
  expect_refusal({"translate", "--model", "m", "--baem=3"}, 2, HasSubstr("--baem; did you mean --beam?"));
  for (const auto* key : {"--beam_size", "--beamsize", "--beam-siez", "--decoding.beam_size"})
    expect_refusal({"translate", "--model", "m", key, "5"}, 2, HasSubstr(std::string(key) + "; did you mean --beam?"));
  expect_refusal({"translate", "--model", "m", "--maxlength=5"}, 2, HasSubstr("; did you mean --max-length?"));
  expect_refusal({"translate", "--model", "m", "--zzzzzz"}, 2, HasSubstr("unknown option --zzzzzz; see gloss"));
}

TEST(CommandLineTest, SuggestsTheKeyThatWasMeantByAnOption) {
  const auto expect_key = [](const std::string& option, const std::string& key) {
    expect_refusal({"train", "--config", "c", option, "3"}, 2,
                   HasSubstr("unknown option " + option + "; did you mean --set " + key + "=VALUE?"));
  };
  expect_key("--epochs", "training.max_epochs");
  expect_key("--max-epochs", "training.max_epochs");
  expect_key("--lr", "training.learning_rate");
  expect_key("--batch-tokens", "data.batch_tokens");
  expect_refusal({"translate", "--model", "m", "--epochs", "3"}, 2, HasSubstr("unknown option --epochs; see gloss"));
}

TEST(CommandLineTest, SuggestsTheCommandThatWasMeant) {
  expect_refusal({"tranlsate"}, 2, HasSubstr("unknown command tranlsate; did you mean translate?"));
  expect_refusal({"tranlsate", "--model", "m"}, 2, HasSubstr("unknown command tranlsate; did you mean translate?"));
  expect_refusal({"tokenizer", "encod"}, 2, HasSubstr("unknown command encod; did you mean encode?"));
}

TEST(CommandLineTest, RefusesAnArgumentThatNothingAsksFor) {
  expect_refusal({"translate", "--model", "m", "input.txt"}, 2,
                 HasSubstr("unexpected argument input.txt; a file to read is --input input.txt"));
  for (const auto* command : {"check-data", "train-translate"}) {
    expect_refusal({command, "a", "b", "c"}, 2,
                   HasSubstr("unexpected argument a; files to read are --source a --target b; see"));
    expect_refusal({command, "a"}, 2, HasSubstr("unexpected argument a; a file to read is --source a; see"));
    expect_refusal({command, "a.json", "b"}, 2, HasSubstr("; a file to read is --config a.json; see"));
  }
  expect_refusal({"doctor", "a"}, 2, HasSubstr("unexpected argument a; see"));
}

TEST(CommandLineTest, RefusesAnOptionGivenTwice) {
  expect_refusal({"convert", "--model", "a", "--model", "b"}, 2, HasSubstr("--model is given 2 times"));
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

TEST(CommandLineTest, RefusesWhatAnotherCorpusHas) {
  expect_refusal({"make-corpus", "copy", "--out", "x", "--pair", "en-de"}, 2,
                 HasSubstr("--pair: wanted only with demo"));
  expect_refusal({"make-corpus", "demo", "--out", "x", "--max-words", "5"}, 2,
                 HasSubstr("--max-words: wanted only with"));
  expect_refusal({"make-corpus", "demo", "--out", "x", "--words", "5"}, 2, HasSubstr("--words: wanted only with"));
  expect_refusal({"make-corpus", "demo", "--out", "x", "--size", "10"}, 2,
                 HasSubstr("gloss: --size: wanted 1000 to 1000000"));
}

TEST(CommandLineTest, RefusesAnUnknownChoiceAndListsThem) {
  expect_refusal({"make-corpus", "shuffle", "--out", "x"}, 2,
                 HasSubstr("wanted one of demo, copy, reverse, got shuffle"));
  expect_refusal({"make-corpus", "demo", "--out", "x", "--pair", "en-fr"}, 2, HasSubstr("en-de, de-en, en-zh, zh-en"));
  expect_refusal({"evaluate", "--hypothesis", "a", "--reference", "b", "--metrics", "meteor"}, 2,
                 HasSubstr("--metrics: wanted one of bleu, chrf, ter, got meteor"));
}

TEST(CommandLineTest, RefusesADeviceThatIsNotThere) {
  expect_refusal({"inspect", "m", "--device", "tpu"}, 2, HasSubstr("wanted auto, cpu, cuda or cuda:N, got tpu"));
  expect_refusal({"inspect", "m", "--device", "cuda:99"}, 2,
                 AllOf(HasSubstr("--device cuda:99: "), HasSubstr("CUDA device")));
}

TEST(CommandLineTest, RefusesOptionsThatExcludeEachOther) {
  expect_refusal({"train", "--config", "c", "--resume", "--overwrite"}, 2, HasSubstr("--resume"));
  expect_refusal({"evaluate", "--reference", "/no/such/r"}, 2, HasSubstr("there is no file /no/such/r"));
  expect_refusal({"evaluate", "r", "--reference", "r"}, 2, HasSubstr("--reference: r is given twice"));
  expect_refusal(
      {"evaluate", "--reference", "r", "--model", "m", "--source", "s", "--sample", "--seed", "3"}, 2,
      HasSubstr("--seed: is the seed of resampling, which --confidence, --paired-bs or --paired-ar turns on; "
                "the seed of --sample is --sample-seed"));
  expect_refusal({"evaluate", "--reference", "r", "--model", "m"}, 2, HasSubstr("--source"));
  expect_refusal({"evaluate", "--reference", "r", "--model", "m", "--source", "s", "--hypothesis", "h"}, 2,
                 HasSubstr("excludes"));
}

TEST(CommandLineTest, RefusesAFolderInPlaceOfAFile) {
  const TemporaryFolder folder;
  const std::string in_place = ", got the folder " + folder.path().string();
  expect_refusal(
      {"average", folder.path(), "--output", folder / "x"}, 2,
      HasSubstr("FILE: wanted model files or checkpoints, as runs/en-de/checkpoints/step-*.safetensors" + in_place));
  expect_refusal({"tokenizer", "train", "--input", folder.path(), "--output", folder / "x"}, 2,
                 HasSubstr("--input: wanted text files" + in_place));
  expect_refusal({"tokenizer", "encode", "--model", folder.path()}, 2,
                 HasSubstr("--model: wanted a SentencePiece model, as runs/en-de/tokenizer.model" + in_place));
}

TEST(CommandLineTest, RefusesAFolderInPlaceOfAModelToWrite) {
  const TemporaryFolder folder;
  const auto input = folder / "input";
  write_text(input, "a\n");
  for (const auto& command : {Arguments{"average", input}, Arguments{"tokenizer", "train", "--input", input},
                              Arguments{"convert", "--model", input, "--precision", "int8"}}) {
    auto arguments = command;
    arguments.insert(arguments.end(), {"--overwrite", "--output", folder.path()});
    expect_refusal(
        arguments, 2,
        HasSubstr("--output: wanted the name of a model file to write, got the folder " + folder.path().string()));
  }
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
