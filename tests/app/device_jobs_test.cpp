// Whole jobs of the program on a GPU, or on the stand-in device: they end as on the CPU.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/files/sha256.h"
#include "tensor/accelerator.h"
#include "tests/app/support/json_output.h"
#include "tests/app/support/small_run.h"
#include "tests/app/support/stand_in_environment.h"
#include "training/processes/process_group.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr auto kTinyTranslator = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";
constexpr auto kInput = "ana baka dalo emi\n\nyoze\nfugo hina joka lemu mo nipa\nsive waxi yoze ana\n";

/// Expects the same values, numbers but for rounding.
void expect_near(const json& found, const json& wanted, const std::string& place = "") {
  ASSERT_EQ(found.type() == json::value_t::null, wanted.type() == json::value_t::null) << place;
  if (wanted.is_number()) {
    EXPECT_NEAR(found.get<double>(), wanted.get<double>(), 2e-3 * std::max(1.0, std::abs(wanted.get<double>())))
        << place;
  } else if (wanted.is_structured()) {
    ASSERT_EQ(found.size(), wanted.size()) << place;
    const auto parts = found.flatten();
    for (const auto& [name, value] : wanted.items())
      expect_near(wanted.is_array() ? found.at(std::stoul(name)) : found.at(name), value, place + "/" + name);
  } else {
    EXPECT_EQ(found, wanted) << place;
  }
}

class DeviceJobsTest : public testing::Test {
 protected:
  static Outcome on(const std::string& device, Arguments arguments, const std::string& input = {}) {
    arguments.insert(arguments.end(), {"--device", device, "--threads", "1"});
    auto outcome = run_gloss(arguments, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }
  static Outcome translate(const std::string& device, Arguments arguments) {
    arguments.insert(arguments.begin(), {"translate", "--model", kTinyTranslator});
    return on(device, std::move(arguments), kInput);
  }
  Arguments training(const std::string& out, const Arguments& more = {}) const {
    Arguments arguments = {"train-translate", "--config", run_.config(), "--out", run_ / out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  json last_loss(const std::string& out) const {
    json last;
    for (const auto& line : lines_of(read_text((run_ / out) / "log.jsonl")))
      if (const auto event = json::parse(line); event.contains("loss")) last = event;
    return last.at("loss");
  }

  StandInEnvironment environment_;
  SmallRun run_;
};

TEST_F(DeviceJobsTest, TrainingLearnsAsOnTheCpu) {
  const Arguments without_dropout = {"--set", "model.dropout=0", "--set", "data.batch_tokens=256"};
  const auto found = on(kGpu, training("gpu", without_dropout)), wanted = on("cpu", training("cpu", without_dropout));
  EXPECT_THAT(found.out, HasSubstr("BLEU = "));
  EXPECT_NEAR(last_loss("gpu"), last_loss("cpu"), 1e-3);
  const auto model = [&](const std::string& out) { return (run_ / out).string(); };
  for (const auto* trained : {"gpu", "cpu"})  // a model belongs to no device
    EXPECT_EQ(on("cpu", {"translate", "--model", model(trained)}, "bise cone\n").out,
              on(kGpu, {"translate", "--model", model(trained)}, "bise cone\n").out);
}

TEST_F(DeviceJobsTest, AResumedTrainingGivesTheModelOfAnUnbrokenOne) {
  on(kGpu, training("whole", {"--set", "training.max_steps=20", "--set", "training.ema_decay=0.9"}));
  on(kGpu, training("halves", {"--set", "training.max_steps=11", "--set", "training.ema_decay=0.9"}));
  on(kGpu, {"train-translate", "--resume", run_ / "halves", "--set", "training.max_steps=20"});
  if (kGpu == "cuda")
    EXPECT_NEAR(last_loss("halves"), last_loss("whole"), 1e-3);
  else
    EXPECT_EQ(sha256(read_text((run_ / "halves") / "model.safetensors")),
              sha256(read_text((run_ / "whole") / "model.safetensors")));
}

TEST_F(DeviceJobsTest, TwoProcessesLearnAsOne) {
  if (kGpu == "cuda" && accelerators() < 2) GTEST_SKIP() << "each process needs a GPU";
  if (kGpu == "cuda" && exchange_libraries().nccl.empty()) GTEST_SKIP() << "gloss was built without NCCL";
  const Arguments settings = {
      "--set", "model.dropout=0", "--set", "training.max_steps=20", "--set", "training.precision=bfloat16"};
  auto two = settings;
  two.insert(two.end(), {"--processes", "2"});
  on(kGpu, training("two", two));
  on(kGpu, training("one", settings));
  EXPECT_NEAR(last_loss("two"), last_loss("one"), 1e-2);
}

TEST_F(DeviceJobsTest, TranslationsAreThoseOfTheCpu) {
  write_text(run_ / "glossary", "ana\tbaka dalo\n");
  write_text(run_ / "prefix", "dalo\n\nemi\n\nana\n");
  for (const Arguments& options :
       {Arguments{}, Arguments{"--beam", "1"}, Arguments{"--beam", "4", "--alignment"},
        Arguments{"--sample", "--top-p", "0.9", "--seed", "3"}, Arguments{"--glossary", run_ / "glossary"},
        Arguments{"--prefix", run_ / "prefix"}, Arguments{"--replace-unknown", "--no-repeat-ngram", "2"},
        Arguments{"--plain"}, Arguments{"--model", kTinyTranslator, "--coverage-penalty", "0.2"}})
    EXPECT_EQ(translate(kGpu, options).out, translate("cpu", options).out) << testing::PrintToString(options);
  for (const Arguments& options : {Arguments{"--json-lines", "--alignment", "--beam", "4"}, Arguments{"--json-lines"},
                                   Arguments{"--json-lines", "--beam", "4", "--n-best", "3"}}) {
    const auto found = lines_of(translate(kGpu, options).out), wanted = lines_of(translate("cpu", options).out);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) expect_near(json::parse(found[i]), json::parse(wanted[i]));
  }
}

TEST_F(DeviceJobsTest, HalfPrecisionTranslates) {
  const auto translation = lines_of(translate(kGpu, {"--precision", "float16", "--beam", "4"}).out);
  EXPECT_EQ(translation, lines_of(translate("cpu", {"--beam", "4"}).out));
  EXPECT_EQ(lines_of(translate(kGpu, {"--precision", "bfloat16"}).out).size(), translation.size());
}

TEST_F(DeviceJobsTest, ScoresAndExplanationsAreThoseOfTheCpu) {
  write_text(run_ / "source", kInput);
  write_text(run_ / "target", kInput);
  const Arguments scored = {"score",         "--model",  kTinyTranslator, "--source",
                            run_ / "source", "--target", run_ / "target"};
  const auto found = lines_of(on(kGpu, scored).out), wanted = lines_of(on("cpu", scored).out);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(std::stod(found[i]), std::stod(wanted[i]), 1e-3);
  const Arguments explained = {"explain",  "--model",   kTinyTranslator,   "--json",
                               "ana baka", "--without", "encoder.0.self.1"};
  expect_near(only_json(on(kGpu, explained)), only_json(on("cpu", explained)));
}

}  // namespace
}  // namespace gloss
