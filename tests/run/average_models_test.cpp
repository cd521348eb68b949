#include "run/average_models.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "model/storage/model_file.h"
#include "run/run_tokenizers.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Files alone: what the weights come to on a device is the trainer's.
class AverageModelsTest : public testing::Test {
 protected:
  AverageModelsTest() {
    set_up_runtime(1);
    testing::internal::CaptureStderr();
    job_.config.training.save_every = 1;
    job_.run();
  }
  ~AverageModelsTest() override { testing::internal::GetCapturedStderr(); }

  fs::path checkpoint(const std::string& run = "run") const {
    return job_ / (run + "/checkpoints/step-00000002.safetensors");
  }
  void average(const fs::path& file) const { average_models({file}, job_ / "mean.safetensors"); }
  // The model file with other words in its metadata.
  fs::path model_with(const std::string& key, const Json& value) const {
    const auto file = SafetensorsFile::open(job_ / "run/model.safetensors");
    auto metadata = file.metadata();
    metadata.erase("sha256");
    metadata[key] = to_text(value);
    write_safetensors(job_ / "other.safetensors", file.tensors(), metadata);
    return job_ / "other.safetensors";
  }
  Json metadata(const fs::path& file, const std::string& key) const {
    return parse_json(SafetensorsFile::open(file).metadata().at(key));
  }
  template <typename E>
  void expect_refused(const fs::path& file, const std::string& message) const {
    EXPECT_THAT([&] { average(file); }, ThrowsMessage<E>(HasSubstr(message)));
    EXPECT_FALSE(fs::exists(job_ / "mean.safetensors"));
  }

  SmallJob job_;
};

TEST_F(AverageModelsTest, ACheckpointInItsRunIsAModelOfItsWeights) {
  average(checkpoint());
  const auto mean = SafetensorsFile::open(job_ / "mean.safetensors"), saved = SafetensorsFile::open(checkpoint());
  for (const auto& [name, view] : mean.tensors())
    EXPECT_TRUE(name == kJointTokenizer || std::ranges::equal(view.bytes, saved.tensors().at(name).bytes)) << name;
  EXPECT_EQ(metadata(job_ / "mean.safetensors", "provenance").at("steps"), 2);
}

TEST_F(AverageModelsTest, ACheckpointInAnotherRunsFolderIsRefused) {
  fs::copy(job_ / "run", job_ / "moved", fs::copy_options::recursive);
  const auto config = parse_json(text_of_file(job_ / "run/config.json"));
  auto other = config;
  other["model"]["heads"] = 4;  // of the same shapes
  std::ofstream(job_ / "moved/config.json") << to_text(other);
  expect_refused<ModelError>(checkpoint("moved"), "model.heads is not what it was when the checkpoint was saved");
  other = config;
  other["training"]["max_steps"] = 99;
  std::ofstream(job_ / "moved/config.json") << to_text(other);
  EXPECT_NO_THROW(average(checkpoint("moved"))) << "of no account";
  fs::remove(job_ / "mean.safetensors");

  auto lines = lines_of_file(job_.config.data.train_source);
  for (auto& line : lines) std::ranges::reverse(line);
  lines.push_back("zz zzz zzzz zzzzz zzzzzz zzzzzzz");
  write_lines(job_.config.data.train_source, lines);
  RunFolder folder(job_ / "other", false, false);
  folder.keep();
  RunTokenizers(job_.config, folder).save(folder);
  ASSERT_NE(text_of_file(job_ / "other/tokenizer.model"), text_of_file(job_ / "moved/tokenizer.model"));
  fs::copy_file(job_ / "other/tokenizer.model", job_ / "moved/tokenizer.model", fs::copy_options::overwrite_existing);
  expect_refused<ModelError>(checkpoint("moved"), "tokenizer.model is not what it was");
}

TEST_F(AverageModelsTest, WithoutItsRunACheckpointIsNoModel) {
  fs::remove(job_ / "run/tokenizer.model");
  expect_refused<ModelError>(checkpoint(), "needs config.json and the tokenizer of its run folder");
  fs::remove(job_ / "run/config.json");
  expect_refused<ModelError>(checkpoint(), "needs config.json and the tokenizer of its run folder");
}

TEST_F(AverageModelsTest, WhatCannotBeReadStaysAnIoError) {
  fs::remove(job_ / "run/tokenizer.model");
  fs::create_symlink("tokenizer.model", job_ / "run/tokenizer.model");  // a ring
  expect_refused<IoError>(checkpoint(), "tokenizer.model");
}

TEST_F(AverageModelsTest, OtherWordsInTheMetadataAreRefusedByName) {
  const auto model = job_ / "run/model.safetensors";
  auto provenance = metadata(model, "provenance");
  for (const auto& steps : {Json("two"), Json(-2), Json(1.5), Json(nullptr)}) {
    provenance["steps"] = steps;
    expect_refused<ModelError>(model_with("provenance", provenance), "provenance: steps: wanted a whole number");
  }
  provenance.erase("steps");
  EXPECT_NO_THROW(average(model_with("provenance", provenance)));
  fs::remove(job_ / "mean.safetensors");
  auto config = metadata(model, "config");
  config.erase("model");
  EXPECT_THROW(average_models({model, model_with("config", config)}, job_ / "mean.safetensors"), ModelError);
}

TEST_F(AverageModelsTest, OtherLanguageTagsAreRefusedByTheirKey) {
  const auto model = job_ / "run/model.safetensors";
  auto config = metadata(model, "config");
  config["tokenizer"]["target_tag"] = true;
  EXPECT_THAT(
      [&] {
        average_models({model, model_with("config", config)}, job_ / "mean.safetensors");
      },
      ThrowsMessage<ModelError>(HasSubstr("tokenizer.target_tag: wanted false, as in the first file")));
}

TEST_F(AverageModelsTest, OneModelMixesWithItsCheckpoints) {
  average_models({job_ / "run/model.safetensors", checkpoint()}, job_ / "mean.safetensors");
  const auto averaged = metadata(job_ / "mean.safetensors", "provenance").at("averaged");
  ASSERT_EQ(averaged.size(), 2u);
  EXPECT_EQ(averaged[1].at("steps"), 2);
  EXPECT_THAT([&] { average_models({}, job_ / "mean.safetensors"); },
              ThrowsMessage<UsageError>(HasSubstr("at least one file")));
}

}  // namespace
}  // namespace gloss
