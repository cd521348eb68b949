#include "run/write_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/text_pairs.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "translation/models/translation_model.h"
#include "translation/translate_texts.h"

namespace gloss {
namespace {

using testing::HasSubstr;

class WriteModelTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_runtime(1);
  }

  SmallJob job_{device()};
};

TEST_P(WriteModelTest, ScoreOfTheTestSetIsThatOfTheModelsTranslations) {
  job_.config.training.max_steps = 60;
  testing::internal::CaptureStderr();
  job_.run();
  const auto loaded = load_translation_model(job_ / "run", device());
  const auto test = read_line_pairs(job_.config.data.test_source, job_.config.data.test_target);
  const auto texts = Translations(translate_texts(loaded.translator(), loaded.config.decoding, test.sources)).texts;
  auto references = texts;  // a model as small as this one has hardly a word of the true ones
  references[0] += " and more";
  const auto wanted = corpus_bleu(texts, references);
  SmallJob again(device());
  again.config.training.max_steps = 60;
  write_lines(again.config.data.test_target, references);
  const auto score = again.run().test.value();
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(wanted.precisions[0], 100);
  EXPECT_LT(wanted.brevity_penalty, 1);
  EXPECT_EQ(score.precisions, wanted.precisions);
  EXPECT_EQ(score.brevity_penalty, wanted.brevity_penalty);
  EXPECT_EQ(score.score, wanted.score);
}

TEST_P(WriteModelTest, TruncatedSourcesOfTheTestSetCauseAWarning) {
  job_.config.training.max_steps = 0;
  auto lines = lines_of_file(job_.config.data.test_source);
  lines[4] = lines[6] = std::string(100, 'a');
  write_lines(job_.config.data.test_source, lines);
  testing::internal::CaptureStderr();
  job_.run();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("warning: 2 lines of the test source longer than the 64 pieces of data.max_length: only "
                        "the beginning is translated and scored (first lines: 5, 7)"));
}

INSTANTIATE_DEVICES(WriteModelTest);

}  // namespace
}  // namespace gloss
