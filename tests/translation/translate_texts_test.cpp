#include "translation/translate_texts.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/text_pairs.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

using testing::HasSubstr;

class TranslateTextsTest : public DeviceTest {};

TEST_P(TranslateTextsTest, TranslationsAreThoseOfTheLinesOneByOne) {
  set_up_runtime(1);
  SmallJob job(device());
  job.config.training.max_steps = 60;
  testing::internal::CaptureStderr();
  job.run();
  testing::internal::GetCapturedStderr();
  const auto loaded = load_translation_model(job / "run", device());
  const auto translator = loaded.translator();
  const auto test = read_line_pairs(job.config.data.train_source, job.config.data.train_target);
  std::vector<std::string> lines;
  for (const auto& source : test.sources)
    lines.push_back(translator.translate(std::vector{source}, loaded.config.decoding).front().candidates.front().text);
  EXPECT_EQ(Translations(translate_texts(translator, loaded.config.decoding, test.sources)).texts, lines);
  EXPECT_GT(std::set(lines.begin(), lines.end()).size(), 1u);
}

TEST_P(TranslateTextsTest, TheLinesOfSeveralCallsAreDrawnAsThoseOfOne) {
  set_up_runtime(1);
  SmallJob job(device());
  job.config.training.max_steps = 0;
  testing::internal::CaptureStderr();
  job.run();
  testing::internal::GetCapturedStderr();
  const auto loaded = load_translation_model(job / "run", device());
  const auto translator = loaded.translator();
  auto drawn = loaded.config.decoding;
  drawn.sampling.enabled = true;
  drawn.batch_size = 1;  // for calls of few lines
  const std::vector<std::string> lines(300, "bada kilo");
  std::vector<std::string> texts;
  for (auto& translation : translator.translate(lines, drawn))
    texts.push_back(std::move(translation.candidates.front().text));
  EXPECT_EQ(Translations(translate_texts(translator, drawn, lines)).texts, texts);
}

TEST_P(TranslateTextsTest, TruncatedLinesAreNumberedAndNamedInAWarning) {
  const Translations translations({{"a", false}, {"b", true}, {"", false}, {"d", true}});
  EXPECT_THAT(translations.texts, testing::ElementsAre("a", "b", "", "d"));
  testing::internal::CaptureStderr();
  warn_of_truncated("the source", translations.truncated, 64);
  warn_of_truncated("the source", {}, 64);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: 2 lines of the source longer than the 64 pieces of data.max_length: only the beginning is "
            "translated and scored (first lines: 2, 4)\n");
}

INSTANTIATE_DEVICES(TranslateTextsTest);

}  // namespace
}  // namespace gloss
