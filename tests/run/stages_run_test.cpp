// Runs on several texts, with weights and stages.

#include <filesystem>
#include <string>

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
using testing::Not;
using testing::ThrowsMessage;

/// A job with a second text, in stages: both texts for an epoch, then a part of the first.
class StagesRunTest : public testing::Test {
 protected:
  StagesRunTest() {
    set_up_runtime(1);
    use_stages(job_);
    testing::internal::CaptureStderr();
  }
  ~StagesRunTest() override { testing::internal::GetCapturedStderr(); }

  static void use_stages(const SmallJob& job, RunConfig& config) {
    auto& data = config.data;
    auto sources = lines_of_file(data.train_source), targets = lines_of_file(data.train_target);
    for (auto* lines : {&sources, &targets}) {
      lines->resize(25);
      for (auto& line : *lines) line += " b";
    }
    write_lines(job / "more.source", sources);
    write_lines(job / "more.target", targets);
    const StageText first{data.train_source, data.train_target, 1}, more{job / "more.source", job / "more.target", 2};
    data.stages = {{.sources = {first, more}, .until_epochs = 1},
                   {.sources = {{first.source, first.target, 0.5}}, .until_epochs = {}}};
    data.train_source = data.train_target = "";
    data.batch_tokens = 128;  // several batches an epoch
    config.training.max_steps = 12;
    config.training.save_every = 1;
  }
  static void use_stages(SmallJob& job) { use_stages(job, job.config); }

  std::string printed() {
    auto text = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    return text;
  }
  static std::string weights(const SmallJob& job) {
    std::string bytes;
    const auto file = SafetensorsFile::open(job / "run/model.safetensors");
    for (const auto& [name, view] : file.tensors())
      bytes.append(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
    return bytes;
  }

  SmallJob job_;
};

TEST_F(StagesRunTest, LogsEachStageWhenItBegins) {
  job_.config.training.max_steps.reset();
  job_.config.training.max_epochs = 3;
  job_.run();
  const auto text = printed();
  const auto first = text.find("stage 1 of 2, 1 epoch: "), second = text.find("stage 2 of 2: ");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second);
  EXPECT_EQ(text.find("stage 2 of 2: ", second + 1), std::string::npos) << "once";
  EXPECT_THAT(text, AllOf(HasSubstr("more.target (weight 2)"), HasSubstr("train.target (weight 0.5)"),
                          HasSubstr("85 sentence pairs")));
}

TEST_F(StagesRunTest, ARunResumedAnywhereHasTheBitsOfTheUnbrokenOne) {
  job_.run();
  const auto unbroken = weights(job_);
  printed();
  for (const std::int64_t step : {1, 5, 8, 11}) {
    SmallJob job;
    use_stages(job);
    job.config.training.max_steps = step;
    job.run();
    printed();
    job.config.training.max_steps = 12;
    job.run(/*resume=*/true);
    EXPECT_TRUE(weights(job) == unbroken) << step;
    EXPECT_THAT(printed(), HasSubstr("stage "));
  }
}

TEST_F(StagesRunTest, OneStageOfOneTextTrainsLikeTheTwoKeys) {
  SmallJob plain;
  plain.config.data.batch_tokens = 128;
  plain.config.training.max_steps = 12;
  plain.run();
  SmallJob staged;
  auto& data = staged.config.data;
  data.batch_tokens = 128;
  staged.config.training.max_steps = 12;
  data.stages = {{.sources = {{data.train_source, data.train_target, 1}}, .until_epochs = {}}};
  data.train_source = data.train_target = "";
  staged.run();
  EXPECT_TRUE(weights(plain) == weights(staged));
}

TEST_F(StagesRunTest, ResumingWithOtherStagesIsRefusedByKey) {
  job_.config.training.max_steps = 2;
  job_.run();
  const auto config = job_.config;
  const auto refused = [&](const std::string& names) {
    EXPECT_THAT([&] { job_.run(/*resume=*/true); }, ThrowsMessage<UsageError>(HasSubstr(names)));
    job_.config = config;
  };
  job_.config.data.stages[0].sources[1].weight = 3;
  refused("data.stages");
  job_.config.data.stages[0].until_epochs = 2;
  refused("data.stages");
  job_.config.data.stages[1].sources[0].weight = 1;
  refused("data.stages");
  // A pair that moves from the end of one text to the beginning of the next leaves the corpus as it was.
  auto& first = job_.config.data.stages[0].sources[0];
  for (const auto& [from, to] : {std::pair(first.source, job_ / "more.source"), {first.target, job_ / "more.target"}}) {
    auto lines = lines_of_file(from), more = lines_of_file(to);
    more.insert(more.begin(), lines.back());
    lines.pop_back();
    write_lines(from, lines);
    write_lines(to, more);
  }
  refused("pairs of the training texts");
}

TEST_F(StagesRunTest, HeldOutPairsAreThoseOfAllTexts) {
  auto& data = job_.config.data;
  data.valid_source = data.valid_target = data.test_source = data.test_target = "";
  data.hold_out = true;
  job_.run();
  EXPECT_THAT(printed(), HasSubstr("held out of training to validate on: 8 of 85 pairs;"));
  const auto held_out = *scan_texts(data.training_texts(), {.hold_out = true}).held_out;
  std::int64_t left = 0;
  for (const auto& [source, target, alignment] : data.training_texts()) {
    const auto sources = lines_of_file(source), targets = lines_of_file(target);
    for (std::size_t i = 0; i < sources.size(); ++i) left += held_out.contains(sources[i], targets[i]) ? 0 : 1;
  }
  const auto provenance = parse_json(SafetensorsFile::open(job_ / "run/model.safetensors").metadata().at("provenance"));
  EXPECT_EQ(provenance.at("training_pairs"), left);
}

TEST_F(StagesRunTest, TheCacheHasAllTextsAndIsMadeAgainIfOneChanges) {
  const auto start_anew = [&] {
    std::filesystem::remove_all(job_ / "run/checkpoints");
    std::filesystem::remove(job_ / "run/model.safetensors");
    job_.run(/*resume=*/true);
  };
  job_.run();
  EXPECT_THAT(printed(), HasSubstr("training tokenizer.model"));
  const auto cache = text_of_file(job_ / "run/corpus.cache");
  start_anew();
  EXPECT_THAT(printed(), Not(HasSubstr("training tokenizer.model")));
  EXPECT_EQ(text_of_file(job_ / "run/corpus.cache"), cache);
  auto lines = lines_of_file(job_ / "more.target");
  lines[3] = "a";
  write_lines(job_ / "more.target", lines);
  start_anew();
  EXPECT_THAT(printed(), HasSubstr("training tokenizer.model"));
  EXPECT_NE(text_of_file(job_ / "run/corpus.cache"), cache);
}

/// Makes the second text tagged copies of the first and filters the pairs.
void use_filters(const SmallJob& job, RunConfig& config) {
  auto& data = config.data;
  const auto first = data.stages[0].sources[0];
  auto sources = lines_of_file(first.source);
  sources[3] = "a";
  for (int i = 1; i < 30; ++i) sources[3] += " a";
  sources[4] = sources[3];
  write_lines(first.source, sources);
  const auto targets = lines_of_file(first.target);
  auto tagged = targets;
  for (std::size_t i = 0; i < tagged.size(); i += 2) tagged[i] = "<BT> " + tagged[i];
  write_lines(job / "more.source", tagged);
  write_lines(job / "more.target", targets);
  data.filters = {.max_ratio = 3, .skip_copied = false, .skip_repeated = true};
  config.tokenizer.symbols = {"<BT>"};
  config.tokenizer.vocabulary_size = 60;
}

TEST_F(StagesRunTest, AFilteredRunResumesToTheSameBitsAndFiltersBelongToItsIdentity) {
  use_filters(job_, job_.config);
  job_.run();
  const auto unbroken = weights(job_);
  EXPECT_THAT(printed(), AllOf(HasSubstr("pairs left out: one side has more than data.max_ratio = 3 times the pieces"),
                               HasSubstr("pairs left out: they repeat an earlier pair (data.skip_repeated)")));
  SmallJob job;
  use_stages(job);
  use_filters(job, job.config);
  job.config.training.max_steps = 5;
  job.run();
  job.config.training.max_steps = 12;
  job.run(/*resume=*/true);
  EXPECT_TRUE(weights(job) == unbroken);

  job.config.training.max_steps = 13;
  const auto config = job.config;
  const auto refused = [&](const std::string& names) {
    EXPECT_THAT([&] { job.run(/*resume=*/true); }, ThrowsMessage<UsageError>(HasSubstr(names)));
    job.config = config;
  };
  job.config.data.filters.max_ratio = 4;
  refused("data.max_ratio");
  job.config.data.filters.skip_repeated = false;
  refused("data.skip_repeated");
  job.config.tokenizer.symbols = {};
  refused("tokenizer.symbols");
}

TEST_F(StagesRunTest, RepetitionsDependOnTheTextsOfAStageAndTheValidationTextIsNotFiltered) {
  auto& data = job_.config.data;
  const auto first = data.stages[0].sources[0], more = data.stages[0].sources[1];
  write_lines(more.source, lines_of_file(first.source));
  write_lines(more.target, lines_of_file(first.target));
  write_lines(data.valid_source, {"a b", "a b", "c"});
  write_lines(data.valid_target, {"a b", "a b", "c"});
  data.filters.skip_repeated = true;
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr(" repeated"))) << "all are in the first text";
  data.stages = {{.sources = {first}, .until_epochs = 1}, {.sources = {more}, .until_epochs = {}}};
  printed();
  job_.run();
  const auto text = printed();
  EXPECT_THAT(text, Not(HasSubstr("validation pair")));
  const auto cache = text_of_file(job_ / "run/corpus.cache");
  EXPECT_THAT(cache, HasSubstr(R"("skip_repeated":[[],[]])"));
}

TEST_F(StagesRunTest, FilesThatCannotBeUsedAreNamedByKey) {
  const auto config = job_.config;
  const auto refused = [&](const std::string& message) {
    EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<Error>(HasSubstr(message)));
    EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
    job_.config = config;
  };
  auto& more = job_.config.data.stages[0].sources[1];
  more.target = more.source;
  refused("data.stages[0].sources[1].target: is the same file as data.stages[0].sources[1].source");
  more.source = job_ / "absent";
  refused("absent: data.stages[0].sources[1].source names this file, but it is not there");
  more.weight = 1e-3;
  job_.config.data.stages[0].sources[0].weight = 1e-3;
  refused("data.stages[0].sources[0].weight: wanted a weight");
  write_lines(job_ / "more.source", {"a"});
  refused("more.source has 1 line");
  write_lines(job_ / "more.source", std::vector<std::string>(25));
  refused("none of 25 pairs can be used: 25 empty");
}

}  // namespace
}  // namespace gloss
