#include "run/validation.h"

#include <csignal>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "model/make_model.h"
#include "model/padding.h"
#include "run/run_tokenizers.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "tests/support/thread_exchange.h"
#include "translation/translate_texts.h"

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
  Validator validator(std::size_t samples = Validator::kLoggedSamples) const {
    const auto& data = job_.config.data;
    return {job_.config, read_line_pairs(data.valid_source, data.valid_target), tokenizers_->source(),
            tokenizers_->target(), samples};
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
    const auto output = model->forward(pad(pair.source, device()), target.input, Pass{});             // [1, T, D]
    const auto log_probabilities = Generator(model->generator())->forward(output);                    // [1, T, V]
    const auto of_targets = log_probabilities.gather(2, target.labels.unsqueeze(2)).to(at::kDouble);  // [1, T, 1]
    sum -= of_targets.sum().item<double>();
    tokens += of_targets.numel();
  }
  EXPECT_GT(loss, 1);
  EXPECT_NEAR(loss, sum / static_cast<double>(tokens), 1e-5);
}

TEST_P(ValidationTest, BleuIsThatOfTheGreedyLines) {
  auto model = this->model();
  const auto report = validator()(model);
  auto greedy = job_.config.decoding;
  greedy.beam_size = 1;
  const auto translator =
      make_translator(model, job_.config.translator(), tokenizers_->source(), tokenizers_->target());
  const auto translations =
      Translations(translate_texts(translator, greedy, lines_of_file(job_.config.data.valid_source))).texts;
  const auto references = lines_of_file(job_.config.data.valid_target);
  EXPECT_DOUBLE_EQ(*report.scores.bleu, corpus_bleu(translations, references).score);
  for (const auto& sample : report.samples) {
    const auto i = static_cast<std::size_t>(sample.line) - 1;
    EXPECT_EQ(sample.translation, translations.at(i));
    EXPECT_EQ(sample.reference, references.at(i));
  }
}

TEST_P(ValidationTest, SamplesAreThreeNonEmptyLinesOfTheWholeText) {
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

TEST_P(ValidationTest, MoreSamplesAreOfTheWholeTextToo) {
  auto model = this->model();
  std::vector<std::int64_t> lines;
  for (const auto& sample : validator(5)(model).samples) lines.push_back(sample.line);
  EXPECT_THAT(lines, ElementsAre(1, 5, 9, 13, 17));
}

TEST_P(ValidationTest, SourcesThatAreCutAreNoted) {
  auto sources = lines_of_file(job_.config.data.valid_source);
  sources[2] = sources[7] = std::string(70, 'a');
  write_lines(job_.config.data.valid_source, sources);
  auto model = this->model();
  const auto truncated = validator()(model).truncated;
  EXPECT_EQ(truncated.count, 2);
  EXPECT_THAT(truncated.first_lines, ElementsAre(3, 8));
}

TEST_P(ValidationTest, ASignalStopsIt) {
  auto model = this->model();
  const auto validator = this->validator();
  {
    const StopOnSignal stop;
    EXPECT_NO_THROW(validator(model));
    std::raise(SIGINT);
    EXPECT_THROW(validator(model), Stopped);
  }
  const StopOnSignal forgets_the_last_signal;
}

TEST_P(ValidationTest, TranslationsOfAnotherProcessWithAnImpossibleSizeAreRefused) {
  const auto validate = validator();
  auto trained = model();
  const auto batches = std::ssize(batches_by_length(validate.corpus(), job_.config.data.batch_tokens));
  for (const std::string& sent : {std::string(), std::string(8, '\0'), std::string(9, '\xff')})
    run_processes(2, [&](Exchange& exchange) {
      if (exchange.rank() == 1) {
        exchange.all_gather(at::ones({batches, 2}, at::kDouble));
        exchange.all_gather_texts(sent);
      } else {
        EXPECT_THAT([&] { validate(trained, exchange); },
                    testing::ThrowsMessage<Error>(testing::HasSubstr("data of another size than expected")));
      }
    });
}

INSTANTIATE_DEVICES(ValidationTest);

}  // namespace
}  // namespace gloss
