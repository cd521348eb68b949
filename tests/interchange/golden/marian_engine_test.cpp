// The models in tests/golden/marian_engine against the translations of Marian's own code, which made them
// (tests/golden/marian_engine.py).

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "common/files/atomic_file.h"
#include "tests/app/support/process.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

const std::filesystem::path kFolder = GLOSS_GOLDEN_FOLDER "/marian_engine";

std::vector<std::string> engine_models() {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) result.push_back(entry.path().filename());
  std::ranges::sort(result);
  return result;
}

class MarianEngineTest : public testing::TestWithParam<std::string> {};

TEST_P(MarianEngineTest, AnImportedModelTranslatesAsMarianDoes) {
  const auto folder = kFolder / GetParam();
  const auto expected = parse_json(read_file(folder / "expected.json", 1 << 20));
  const auto lines = expected["lines"].get<std::vector<std::string>>();
  const auto beginnings = expected["beginnings"].get<std::vector<std::string>>();
  ASSERT_FALSE(lines.empty());
  ASSERT_EQ(lines.size(), beginnings.size());
  const TemporaryFolder temporary;
  const auto model = temporary / "model.safetensors";
  const bool is_firefox = GetParam() == "firefox";
  const auto file = std::filesystem::exists(folder / "model.npz") ? "model.npz" : "model.bin";
  Arguments import = {"import", folder, "--output", model};
  if (!is_firefox) import = {"import", folder / file, "--vocabulary", folder / "vocab.spm", "--output", model};
  const auto imported = run_gloss(import);
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  for (const bool plain : {false, true}) {
    if (plain && is_firefox) continue;  // the equations know neither int8 nor shortlists
    Arguments arguments = {"translate",           "--model", model, "--beam", "1", "--max-length", "60",
                           "--max-length-factor", "0"};           // in Marian the longest line of a batch counts
    if (is_firefox) arguments = {"translate", "--model", model};  // the lines were batches of their own
    if (plain) arguments.emplace_back("--plain");
    const auto outcome = run_gloss(arguments, text);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    std::istringstream translations(outcome.out);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string translation;
      std::getline(translations, translation);
      EXPECT_THAT(translation, testing::StartsWith(beginnings[i])) << lines[i] << (plain ? ", plain" : "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MarianEngineTest, testing::ValuesIn(engine_models()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace gloss
