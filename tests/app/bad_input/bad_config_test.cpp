#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using namespace std::string_literals;

/// The text of a run file, and what is said of it.
struct BadConfig {
  std::string what, text, message;
};

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

const std::vector<BadConfig> kBadConfigs = {
    {"38 a string for a number", R"({"training": {"max_steps": "7"}})",
     "training.max_steps: wanted a whole number, got \"7\""},
    {"38 a number for a string", R"({"data": {"train_source": 7}})", "data.train_source: wanted a string, got 7"},
    {"38 a number for a section", R"({"model": 7})", "model: wanted an object, got 7"},
    {"38 a number for true or false", R"({"tokenizer": {"joint": 1}})", "tokenizer.joint: wanted true or false, got 1"},
    {"38 an unknown choice", R"({"model": {"norm": "prae"}})", "model.norm: wanted one of pre, post, got \"prae\""},
    {"39 an unknown key", R"({"model": {"dmodel": 8}})",
     "model.dmodel: unknown key; did you mean \"model.d_model\"\\?"},
    {"39 an unknown section", R"({"modle": {}})", "modle: unknown key; did you mean \"model\"\\?"},
    {"40 negative", R"({"training": {"max_steps": -1}})", "training.max_steps: wanted .*, got -1"},
    {"40 negative", R"({"seed": -1})", "seed: wanted 0 or more, got -1"},
    {"40 negative", R"({"model": {"dropout": -0.1}})", "model.dropout: wanted .*, got -0.1"},
    {"41 zero", R"({"model": {"heads": 0}})", "model.heads: wanted .*, got 0"},
    {"41 zero", R"({"data": {"batch_tokens": 0}})", "data.batch_tokens: wanted .*, got 0"},
    {"41 zero", R"({"decoding": {"beam_size": 0}})", "decoding.beam_size: wanted .*, got 0"},
    {"41 zero", R"({"training": {"learning_rate": 0}})", "training.learning_rate: wanted .*, got 0"},
    {"41 below the numbers of float32", R"({"training": {"epsilon": 1e-46}})",
     "training.epsilon: wanted a number of float32, from 1.17549436e-38, got 1e-46"},
    {"41 zero", R"({"tokenizer": {"vocabulary_size": 0}})", "tokenizer.vocabulary_size: wanted .*, got 0"},
    {"42 NaN", "{\"model\": {\"dropout\":\n NaN}}", "line 2, column 2: .*dropout"},
    {"43 1e999", R"({"model": {"dropout": 1e999}})", "line 1, column 28: .*1e999"},
    {"44 1e30 for a whole number", R"({"model": {"d_model": 1e30}})",
     "model.d_model: wanted a whole number, got 1e\\+30"},
    {"44 2^64", R"({"seed": 18446744073709551616})", "seed: wanted a whole number"},
    {"44 2^63", R"({"seed": 9223372036854775808})", "seed: wanted a whole number"},
    {"45 3.5 for a whole number", R"({"model": {"heads": 3.5}})", "model.heads: wanted a whole number, got 3.5"},
    {"46 a key twice", R"({"model": {"heads": 2, "heads": 4}})", "repeated key \"model.heads\""},
    {"47 deep", repeated("[", 100'000), "nested deeper than 32 levels"},
    {"47 deep objects", repeated(R"({"model":)", 100'000), "nested deeper than 32 levels"},
    {"48 a comment", "{ // all defaults\n}", "line 1, column 3: "},
    {"48 a comment", "{ /* all defaults */ }", "line 1, column 3: |line 1, column 4: "},
    {"49 a comma too many", R"({"seed": 1,})", "line 1, column 12: "},
    {"50 bytes behind the end", "{} {}", "line 1, column 4: "},
    {"50 a NUL behind the end", "{}\0"s, "line 1, column 3: a NUL byte"},
    {"51 empty", "", "line 1, column 1: "},
    {"52 not UTF-8", "{\"model\": {\"norm\": \"\xff\"}}", "line 1, column 21: not UTF-8"},
    {"53 null", R"({"model": {"heads": null}})", "model.heads: wanted a whole number, got null"},
    {"53 null for a section", R"({"model": null})", "model: wanted an object, got null"},
    {"54 more than a megabyte", "{" + std::string(1 << 20, ' ') + "}", "wanted at most 1048576 bytes, got more"},
    {"55 an array", "[]", "wanted an object .*, got array"},
    {"56 heads that do not divide", R"({"model": {"d_model": 30, "heads": 4}})", "model.(heads|d_model): wanted .*"},
    {"57 dropout 1", R"({"model": {"dropout": 1}})", "model.dropout: wanted .*, got 1"},
    {"57 dropout of a part", R"({"model": {"attention_dropout": 1.5}})", "model.attention_dropout: wanted .*, got 1.5"},
};

TEST(BadConfigTest, IsRefusedByItsKeyOrItsPlace) {
  const TemporaryFolder folder;
  const Arguments training = {"train-translate", "--config", folder / "run.json", "--out", folder / "run"};
  for (const auto& [what, text, message] : kBadConfigs) {
    write_text(folder / "run.json", text);
    expect_outcome({what, training, 2, "^gloss: .*run.json: (.* )?(" + message + ")"}, folder.path());
  }
}

TEST(BadConfigTest, SettingsOfTheCommandLineAreJudgedAlike) {
  const SmallRun run;
  for (const auto& [setting, message] : {std::pair{"training.max_step=5", "did you mean \"training.max_steps\"\\?"},
                                         {"training.max_steps=many", "training.max_steps: wanted a whole number"},
                                         {"training.max_steps=1e30", "training.max_steps: wanted a whole number"},
                                         {"training.max_steps=", "training.max_steps: wanted a whole number"},
                                         {"training", "wanted key=value"},
                                         {"=5", "wanted key=value"},
                                         {"seed.deep=5", "seed is no section"},
                                         {"model.dropout=NaN", "model.dropout: wanted a number"}})
    expect_outcome({setting, run.training("run", {"--set", setting}), 2, message}, run / "");
}

// 58
TEST(BadConfigTest, AModelBeyondTheMemoryIsRefusedWithItsSize) {
  const SmallRun run;
  const auto huge = run.training("run", {"--quiet", "--set", "model.d_model=131072", "--set", "model.d_ff=131072",
                                         "--set", "model.encoder_layers=1000", "--set", "model.heads=8"});
  expect_outcome({"58 more than the memory", huge, 2, "the model has [0-9]{15} parameters"}, run / "");
}

}  // namespace
}  // namespace gloss
