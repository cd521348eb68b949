#include "pipeline/validation.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/make_model.h"
#include "model/padding.h"
#include "pipeline/run_identity.h"
#include "pipeline/run_tokenizers.h"
#include "pipeline/runtime.h"
#include "tests/pipeline/small_job.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;

class ValidationTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_runtime(1);
    testing::internal::CaptureStderr();
    tokenizers_.emplace(job_.config, RunFolder(job_ / "run", false, false));
    testing::internal::GetCapturedStderr();
  }

  EncoderDecoder model() const {
    auto model = make_model(job_.config.model, tokenizers_->vocabularies(), RandomStream(5, "weights"));
    model->to(device());
    return model;
  }
  Validator validator() const { return {job_.config, tokenizers_->source(), tokenizers_->target()}; }
  Json identity() const {
    const auto& data = job_.config.data;
    const auto corpus = ParallelCorpus::read(data.train_source, data.train_target, *tokenizers_->source(),
                                             *tokenizers_->target(), {.max_length = data.max_length});
    return run_identity(job_.config, *tokenizers_, corpus, validator());
  }

  SmallJob job_{device()};
  std::optional<RunTokenizers> tokenizers_;
};

TEST_P(ValidationTest, LossIsThatOfEachSentenceAlone) {
  job_.config.data.batch_tokens = 100;
  const auto validator = this->validator();
  ASSERT_GT(batches_by_length(validator.corpus(), 100).size(), 2u);
  auto model = this->model();
  const auto loss = validator(model).scores.loss;

  const at::NoGradGuard no_grad;
  double sum = 0;
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < validator.corpus().size(); ++i) {
    const auto pair = validator.corpus().batch(std::vector{i});
    const auto target = shift_target(pair.target, device());
    const auto output = model->forward(pad(pair.source, device()), target.input, Pass{});       // [1, T, D]
    const auto log_probabilities = Generator(model->generator())->forward(output);              // [1, T, V]
    const auto said = log_probabilities.gather(2, target.wanted.unsqueeze(2)).to(at::kDouble);  // [1, T, 1]
    sum -= said.sum().item<double>();
    tokens += said.numel();
  }
  EXPECT_GT(loss, 1);
  EXPECT_NEAR(loss, sum / static_cast<double>(tokens), 1e-5);
}

TEST_P(ValidationTest, BleuIsThatOfTheGreedyLines) {
  auto model = this->model();
  const auto report = validator()(model);
  auto greedy = job_.config.decoding;
  greedy.beam_size = 1;
  const auto translator = make_translator(model, job_.config, tokenizers_->source(), tokenizers_->target());
  const auto translations = translate_lines(translator, greedy, lines_of_file(job_.config.data.valid_source));
  const auto references = lines_of_file(job_.config.data.valid_target);
  EXPECT_DOUBLE_EQ(*report.scores.bleu, corpus_bleu(translations, references).score);
  for (const auto& sample : report.samples) {
    const auto i = static_cast<std::size_t>(sample.line) - 1;
    EXPECT_EQ(sample.translation, translations.at(i));
    EXPECT_EQ(sample.reference, references.at(i));
  }
}

TEST_P(ValidationTest, SamplesAreThreeLinesOfTheWholeTextWithSomethingInThem) {
  auto sources = lines_of_file(job_.config.data.valid_source);
  ASSERT_EQ(sources.size(), 20u);
  sources[0] = sources[1] = "";
  write_lines(job_.config.data.valid_source, sources);
  auto model = this->model();
  const auto validator = this->validator();
  for (int again = 0; again < 2; ++again) {
    std::vector<std::int64_t> lines;
    for (const auto& sample : validator(model).samples) lines.push_back(sample.line);
    EXPECT_THAT(lines, ElementsAre(3, 9, 15));
  }
}

TEST_P(ValidationTest, IdentityOfARunChangesWithWhatShapesIt) {
  const auto before = identity();
  EXPECT_EQ(identity(), before);
  const auto config = job_.config;
  job_.config.training.max_steps = 99;
  job_.config.training.max_epochs = 9;
  job_.config.training.validate_every = job_.config.training.save_every = job_.config.training.keep_checkpoints = 9;
  job_.config.training.early_stop.patience = 9;
  job_.config.decoding.beam_size = 4;
  EXPECT_EQ(identity(), before) << "harmless";
  const auto changes = [&](auto&& change, const std::string& key) {
    job_.config = config;
    change();
    const auto after = identity();
    std::vector<std::string> different;
    for (const auto& [name, hash] : after.items())
      if (before.at(name) != hash) different.push_back(name);
    EXPECT_THAT(different, ElementsAre(key));
  };
  changes([&] { job_.config.seed = 4; }, "seed");
  changes([&] { job_.config.training.learning_rate = 2; }, "training.learning_rate");
  changes([&] { job_.config.training.average_last = 2; }, "training.average_last");
  changes([&] { job_.config.training.early_stop.metric = EarlyStopMetric::kLoss; }, "training.early_stop");
  changes([&] { job_.config.data.batch_tokens = 511; }, "data.batch_tokens");
  changes([&] { job_.config.model.d_ff = 24; }, "model.d_ff");
  changes([&] { std::swap(job_.config.data.valid_source, job_.config.data.test_source); }, "validation set");
}

INSTANTIATE_DEVICES(ValidationTest);

}  // namespace
}  // namespace gloss
