#include <filesystem>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "data/hold_out.h"
#include "data/scan_texts.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A run that validates on pairs of its training text.
class HoldOutRunTest : public testing::Test {
 protected:
  HoldOutRunTest() {
    set_up_runtime(1);
    auto& data = job_.config.data;
    data.valid_source = data.valid_target = data.test_source = data.test_target = "";
    data.hold_out = true;
    testing::internal::CaptureStderr();
  }
  ~HoldOutRunTest() override { testing::internal::GetCapturedStderr(); }

  std::string printed() {
    auto text = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    return text;
  }
  Json provenance() const {
    return parse_json(SafetensorsFile::open(job_ / "run/model.safetensors").metadata().at("provenance"));
  }
  HoldOut held_out() const {
    const auto& data = job_.config.data;
    return *scan_texts(TextFiles{data.train_source, data.train_target}, {.hold_out = true}).held_out;
  }

  SmallJob job_;
};

TEST_F(HoldOutRunTest, TrainsOnTheRestAndValidatesOnTheHeldOutPairs) {
  job_.run();
  EXPECT_THAT(printed(),
              AllOf(HasSubstr("held out of training to validate on: 6 of 60 pairs; "), HasSubstr("perplexity")));
  const auto held_out = this->held_out();
  const auto sources = lines_of_file(job_.config.data.train_source),
             targets = lines_of_file(job_.config.data.train_target);
  std::int64_t trained = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) trained += held_out.contains(sources[i], targets[i]) ? 0 : 1;
  EXPECT_LE(trained, 54);
  EXPECT_EQ(provenance().at("training_pairs"), trained);
  EXPECT_TRUE(provenance().contains("validation_set"));
}

TEST_F(HoldOutRunTest, TheCorpusOfARunWithoutItIsNotTaken) {
  job_.config.data.hold_out = false;
  job_.run();
  EXPECT_EQ(provenance().at("training_pairs"), 60);
  for (const auto* file : {"model.safetensors", "checkpoints", "config.json", "log.jsonl", "tokenizer.model"})
    std::filesystem::remove_all(job_ / (std::string("run/") + file));
  ASSERT_TRUE(std::filesystem::exists(job_ / "run/corpus.cache"));
  job_.config.data.hold_out = true;
  job_.run();
  EXPECT_LE(provenance().at("training_pairs"), 54);
}

TEST_F(HoldOutRunTest, AResumedRunHoldsOutTheSamePairs) {
  job_.run();
  job_.config.training.max_steps = 4;
  job_.run(/*resume=*/true);
  const auto resumed = text_of_file(job_ / "run/model.safetensors");
  std::filesystem::remove_all(job_ / "run");
  job_.run();
  EXPECT_EQ(text_of_file(job_ / "run/model.safetensors"), resumed);

  job_.config.data.hold_out = false;
  EXPECT_THAT([&] { job_.run(/*resume=*/true); }, ThrowsMessage<UsageError>(HasSubstr("data.hold_out")));
}

TEST_F(HoldOutRunTest, ATextWithoutSuchPairsIsTrainedWithoutValidation) {
  write_lines(job_.config.data.train_source, {"a b", "b a", "c"});
  write_lines(job_.config.data.train_target, {"a b", "b a", "c"});
  job_.run();
  EXPECT_THAT(printed(), HasSubstr("wanted pairs to hold out to validate on, got none of 3 pairs; "));
  EXPECT_FALSE(provenance().contains("validation_set"));
}

TEST_F(HoldOutRunTest, HeldOutPairsThatAreTooLongAreAnErrorOfTheirOwn) {
  std::vector<std::string> lines(11, "a");
  for (std::size_t i = 0; i < 10; ++i) lines[i] = std::string(80 + i, 'b');
  write_lines(job_.config.data.train_source, lines);
  write_lines(job_.config.data.train_target, lines);
  if (held_out().sources().front() == "a") GTEST_SKIP() << "the short pair was chosen";
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr("data.max_length")));
}

TEST_F(HoldOutRunTest, EarlyStoppingWorksWithIt) {
  job_.config.training.early_stop.patience = 2;
  job_.config.training.validate_every = 1;
  job_.config.training.max_epochs.reset();
  job_.config.training.max_steps = 100'000;
  EXPECT_EQ(job_.run().end, TrainingEnd::kEarlyStop);
}

}  // namespace
}  // namespace gloss
