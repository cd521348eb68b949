#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace std::string_literals;

/// No output of a command may be one of its inputs.
class BadOutputsTest : public testing::Test {
 protected:
  /// Expects a refusal that names both files and leaves every file as it was.
  void expect_refused(const std::string& what, const Arguments& command, const std::string& output,
                      const std::string& input) const {
    expect_outcome({what, command, 2, "^gloss: " + output + " \\(.*\\) is the same file as " + input + " \\("},
                   run_ / "");
  }
  std::string text(const std::string& file) const { return run_.corpus(file); }

  SmallRun run_;
};

TEST_F(BadOutputsTest, TheLogIsNoInput) {
  const auto model = run_.untrained_model();
  const auto check = [&](Arguments command, const std::string& log, const std::string& input) {
    const auto name = command.front();
    command.insert(command.end(), {"--log-json", log});
    expect_refused("--log-json of " + name, command, "--log-json", input);
  };
  const auto source = text("test.source"), target = text("test.target");
  check(run_.training("new"), text("train.source"), "data.train_source");
  check(run_.training("new"), run_.config(), "--config");
  check({"translate", "--model", model}, fs::path(model) / "model.safetensors", "--model");
  check({"translate", "--model", model, "--prefix", source}, source, "--prefix");
  check({"translate", "--model", model, "--glossary", source}, source, "--glossary");
  check({"score", "--model", model, "--source", source, "--target", target}, target, "--target");
  check({"evaluate", "--hypothesis", source, "--reference", target}, target, "--reference");
  check({"evaluate", "--hypothesis", source, "--reference", target}, source, "--hypothesis");
  check({"check-data", "--source", source, "--target", target}, target, "--target");
  check({"check-data", "--config", run_.config()}, text("valid.target"), "data.valid_target");
  check({"align", "--source", source, "--target", target}, target, "--target");
  check({"doctor", "--config", run_.config()}, text("train.target"), "data.train_target");
  check({"inspect", model}, fs::path(model) / "model.safetensors", "FILE-OR-DIR");
  check({"tokenizer", "encode", "--model", source}, source, "--model");
}

TEST_F(BadOutputsTest, TheLogIsNoFileOfAModelToImport) {
  fs::create_directory(run_ / "hf");
  write_text(run_ / "hf/config.json", "{}");
  expect_refused("import", {"import", run_ / "hf", "--check", "--log-json", run_ / "hf/config.json"}, "--log-json",
                 "a file of the model");
}

TEST_F(BadOutputsTest, AFileThatNoImportReadsMayBeTheLog) {
  fs::create_directory(run_ / "hf");
  write_text(run_ / "hf/config.json", "{}");
  for (const auto* name : {"rep.txt", "notes"}) {
    write_text(run_ / "hf" / name, "text");
    EXPECT_THAT(run_gloss({"import", run_ / "hf", "--check", "--log-json", run_ / "hf" / name}).err,
                testing::Not(HasSubstr("is the same file")))
        << name;
  }
}

TEST_F(BadOutputsTest, TheLogIsNoOtherOutput) {
  const auto tokenizer = run_ / "new.model";
  expect_refused(
      "the tokenizer and the log",
      {"tokenizer", "train", "--input", text("train.source"), "--output", tokenizer, "--log-json", tokenizer},
      "--output", "--log-json");
  expect_refused("a text of the corpus and the log",
                 {"make-corpus", "copy", "--out", run_ / "corpus", "--overwrite", "--log-json", text("train.source")},
                 "--out", "--log-json");
  expect_refused("a file of the run and the log", run_.training("new", {"--log-json", run_ / "new/log.jsonl"}),
                 "the run folder", "--log-json");
}

TEST_F(BadOutputsTest, AFileThatIsWrittenIsNoInput) {
  const auto model = fs::path(run_.untrained_model()) / "model.safetensors";
  fs::create_hard_link(model, run_ / "hard");
  fs::create_symlink(model, run_ / "soft");
  const auto source = text("train.source");
  expect_refused("a tokenizer", {"tokenizer", "train", "--input", text("train.target"), source, "--output", source},
                 "--output", "--input");
  expect_refused("a lexical table",
                 {"align", "--source", source, "--target", text("train.target"), "--lexical-table", source},
                 "--lexical-table", "--source");
  expect_refused("a mean", {"average", model, "--output", run_ / "hard"}, "--output", "FILE");
  expect_refused("a converted model", {"convert", "--model", model, "--precision", "int8", "--output", run_ / "soft"},
                 "--output", "--model");
}

TEST_F(BadOutputsTest, AFileOfTheRunFolderIsNoInput) {
  fs::create_directories(run_ / "new/checkpoints");
  const auto check = [&](const std::string& name, const std::string& key) {
    fs::copy_file(text("train.source"), run_ / "new" / name);
    for (const auto* how : {"--overwrite", "--resume"})
      expect_refused(name, run_.training("new", {how, "--set", key + "=" + (run_ / "new" / name).string()}),
                     "the run folder", key);
    fs::remove(run_ / "new" / name);
  };
  check("corpus.cache", "data.train_source");
  check("corpus.texts.json", "data.train_target");
  check("log.jsonl", "data.valid_source");
  check("lens.jsonl", "data.valid_target");
  check("model.safetensors", "data.test_source");
  check("tokenizer.model", "data.test_target");
  fs::copy(run_.config(), run_ / "new/config.json");
  auto own = run_.training("new", {"--overwrite"});
  own[2] = run_ / "new/config.json";
  expect_refused("a run file in the run folder", own, "the run folder", "--config");
}

TEST_F(BadOutputsTest, ARunThatResumesMayBeGivenItsOwnConfiguration) {
  ASSERT_EQ(run_gloss(run_.training("run", {"--set", "training.max_steps=5"})).exit_code, 0);
  auto again = run_.training("run", {"--resume", "--set", "training.max_steps=6"});
  again[2] = run_ / "run/config.json";
  const auto outcome = run_gloss(again);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(BadOutputsTest, OverwritingLeavesTextsBesideTheRunAlone) {
  fs::create_directories(run_ / "new/checkpoints");
  std::vector<std::pair<fs::path, std::string>> texts;
  Arguments more = {"--overwrite", "--set", "training.max_steps=2"};
  for (const auto* side : {"source", "target"}) {
    const auto path = run_ / "new/checkpoints" / ("train."s + side);
    fs::copy(text("train."s + side), path);
    texts.emplace_back(path, read_text(path));
    more.insert(more.end(), {"--set", "data.train_"s + side + "=" + path.string()});
  }
  for (const int times : {1, 2}) {
    const auto outcome = run_gloss(run_.training("new", more));
    ASSERT_EQ(outcome.exit_code, 0) << times << ": " << outcome.err;
    for (const auto& [path, content] : texts) EXPECT_EQ(read_text(path), content) << path;
  }
}

TEST_F(BadOutputsTest, ARunThatReplacesAnotherKeepsItsModelUntilTheEnd) {
  ASSERT_EQ(run_gloss(run_.training("run", {"--set", "training.max_steps=5"})).exit_code, 0);
  const auto model = run_ / "run/model.safetensors";
  const auto before = read_text(model);
  Process endless(run_.training("run", {"--overwrite", "--seed", "8", "--set", "training.max_steps=1000000"}));
  while (endless.running() && !fs::exists(run_ / "run/checkpoints/step-00000010.safetensors")) continue;
  endless.signal(SIGTERM);
  ASSERT_EQ(endless.wait().exit_code, 143);
  EXPECT_EQ(read_text(model), before);
  const auto warned = run_gloss({"translate", "--model", run_ / "run", "--threads", "1"}, "bada\n");
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_THAT(warned.err, HasSubstr("is the model of an earlier run"));
  const auto resumed = run_gloss(run_.training("run", {"--resume", "--seed", "8", "--set", "training.max_steps=1"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(read_text(model), before);
  const auto translated = run_gloss({"translate", "--model", run_ / "run", "--threads", "1"}, "bada\n");
  EXPECT_EQ(without_cut_warning(translated.err), "");
}

}  // namespace
}  // namespace gloss
