// Runs with data.train_alignment, and int8 tuning.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "run/check_data.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "translation/models/convert_model.h"
#include "translation/models/translation_model.h"
#include "translation/translate_texts.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class GuidedRunTest : public DeviceTest {
 protected:
  /// A run of the tokenizer of an earlier one, with an alignment that joins equal places.
  struct Guided {
    explicit Guided(at::Device device) : job(device) {
      job.config.training.max_steps = 0;
      job.run();
      std::filesystem::copy_file(job / "run/tokenizer.model", job / "given.model");
      std::filesystem::remove_all(job / "run");
      auto& config = job.config;
      config.tokenizer.model_file = job / "given.model";
      config.data.train_alignment = job / "links";
      config.data.batch_tokens = 64;  // several batches an epoch
      config.training.max_steps = 4;
      const auto tokenizer = load_tokenizer(config.tokenizer.model_file);
      for (const auto& line : lines_of_file(config.data.train_source)) {
        auto& links = lines.emplace_back();
        for (std::size_t i = 0; i < tokenizer->encode(line).size(); ++i)
          links += std::to_string(i) + '-' + std::to_string(i) + ' ';
      }
      write_lines(config.data.train_alignment, lines);
    }
    std::string weights() const {
      const auto file = SafetensorsFile::open(job / "run/model.safetensors");
      std::string bytes;
      for (const auto& [name, view] : file.tensors())
        bytes.append(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
      return bytes;
    }

    SmallJob job;
    std::vector<std::string> lines;
  };

  void SetUp() override {
    DeviceTest::SetUp();
    set_up_runtime(1);
    testing::internal::CaptureStderr();
  }
  void TearDown() override { testing::internal::GetCapturedStderr(); }

  Guided guided_{device()};
};

TEST_P(GuidedRunTest, LinksReachTheWeightsAndTheHeadIsThatOfAlignments) {
  guided_.job.run();
  EXPECT_EQ(load_translation_model(guided_.job / "run", device()).config.decoding.alignment_from, "decoder.0.cross.0");
  EXPECT_TRUE(std::filesystem::exists(guided_.job / "run/corpus.links.cache"));
  const auto with = guided_.weights();
  Guided off(device());
  off.job.config.training.guided_alignment = 0;
  off.job.run();
  EXPECT_EQ(load_translation_model(off.job / "run", device()).config.decoding.alignment_from, "");
  EXPECT_NE(off.weights(), with);
  Guided other(device());
  other.job.config.training.guided_alignment_head = "decoder.0.cross.1";
  other.job.config.data.stages = other.job.config.data.training_stages();
  for (auto* file : {&other.job.config.data.train_source, &other.job.config.data.train_target,
                     &other.job.config.data.train_alignment})
    file->clear();
  other.job.run();
  EXPECT_EQ(load_translation_model(other.job / "run", device()).config.decoding.alignment_from, "decoder.0.cross.1");
  EXPECT_NE(other.weights(), with);
}

TEST_P(GuidedRunTest, AResumedRunHasTheBitsOfAnUnbrokenOne) {
  if (device().is_cuda()) GTEST_SKIP() << "it resumes with close values";
  guided_.job.run();
  for (const bool keeps_cache : {true, false}) {
    Guided resumed(device());
    resumed.job.config.training.max_steps = 2;
    resumed.job.run();
    if (!keeps_cache) std::filesystem::remove(resumed.job / "run/corpus.links.cache");
    resumed.job.config.training.max_steps = 4;
    resumed.job.run(/*resume=*/true);
    EXPECT_EQ(resumed.weights(), guided_.weights()) << keeps_cache;
    EXPECT_TRUE(std::filesystem::exists(resumed.job / "run/corpus.links.cache"));
  }
}

TEST_P(GuidedRunTest, OtherLinksAreAnotherRun) {
  guided_.job.run();
  guided_.lines[3] = "";
  write_lines(guided_.job.config.data.train_alignment, guided_.lines);
  EXPECT_THAT([&] { guided_.job.run(/*resume=*/true); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("cannot resume"), HasSubstr("training alignment"))));
}

TEST_P(GuidedRunTest, LinksThatDoNotFitAreRefusedBeforeAFileIsWritten) {
  const auto refused = [&](const std::string& message) {
    write_lines(guided_.job.config.data.train_alignment, guided_.lines);
    EXPECT_THAT([&] { guided_.job.run(); }, ThrowsMessage<DataError>(HasSubstr(message)));
    EXPECT_FALSE(std::filesystem::exists(guided_.job / "run/config.json"));
    const auto check = check_data(data_check_options(guided_.job.config));
    EXPECT_FALSE(check.usable());
    std::string messages;
    for (const auto& set : check.sets)
      for (const auto& finding : set.findings)
        if (finding.refused) messages += finding.message;
    return messages;
  };
  const auto good = guided_.lines;
  guided_.lines[4] = "0-0 99-0";
  guided_.lines[6] = "0";
  EXPECT_THAT(refused("links: line 5: wanted links of the"),
              AllOf(HasSubstr("the links of 2 lines do not fit (first lines: 5, 7)"), HasSubstr("got 99-0")));
  guided_.lines = good;
  guided_.lines.pop_back();
  EXPECT_THAT(refused("links 59;"), HasSubstr("links 59;"));
  guided_.lines = good;
  write_lines(guided_.job.config.data.train_alignment, good);
  EXPECT_TRUE(check_data(data_check_options(guided_.job.config)).usable());
}

TEST_P(GuidedRunTest, SettingsThatDoNotFitLinksAreRefused) {
  const auto refused = [&](auto change, const std::string& message) {
    auto config = guided_.job.config;
    change(config);
    EXPECT_THAT([&] { config.validate(); }, ThrowsMessage<UsageError>(HasSubstr(message)));
  };
  refused([](RunConfig& config) { config.data.subword_sampling = 0.1; }, "data.subword_sampling: wanted 0 beside");
  refused([](RunConfig& config) { config.tokenizer.model_file = ""; }, "data.train_alignment: wanted no links unless");
  refused([](RunConfig& config) { config.training.guided_alignment_head = "decoder.0.cross"; },
          "training.guided_alignment_head: wanted one head");
  refused([](RunConfig& config) { config.training.guided_alignment_head = "decoder.1.cross.0"; },
          "training.guided_alignment_head: wanted decoder.LAYER.cross");
  refused([](RunConfig& config) { config.training.guided_alignment = -1; }, "training.guided_alignment");
}

TEST_P(GuidedRunTest, ATunedModelStaysInFloat32AndConvertsToItsScales) {
  if (!device().is_cpu()) GTEST_SKIP() << "int8 is for the CPU";
  auto& job = guided_.job;
  job.run();
  std::filesystem::rename(job / "run", job / "exact");
  job.config.tokenizer.model_file = "";
  job.config.training.start_from = job / "exact/model.safetensors";
  job.config.training.quantize = Int8Scales::kMatrix;
  job.run();
  EXPECT_EQ(load_translation_model(job / "run", device()).file.precision, WeightPrecision::kFloat32);
  convert_model({.model = job / "run", .output = job / "int8.safetensors", .precision = WeightPrecision::kInt8});
  const auto file = SafetensorsFile::open(job / "int8.safetensors");
  const auto scales = read_weight(file, "decoder.layers.0.feed_forward.inner.weight").scales;
  EXPECT_TRUE(scales.eq(scales[0]).all().item<bool>());
}

INSTANTIATE_DEVICES(GuidedRunTest);

}  // namespace
}  // namespace gloss
