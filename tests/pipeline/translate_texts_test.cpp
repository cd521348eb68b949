#include "pipeline/translate_texts.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "pipeline/runtime.h"
#include "tests/pipeline/small_job.h"
#include "tests/support/device_test.h"
#include "tests/support/thread_exchange.h"

namespace gloss {
namespace {

using testing::HasSubstr;

class TranslateTextsTest : public DeviceTest {};

TEST_P(TranslateTextsTest, ScoreOfAModelIsThatOfItsLinesOneByOne) {
  set_up_runtime(1);
  SmallJob job(device());
  job.config.training.max_steps = 60;
  testing::internal::CaptureStderr();
  job.run();
  testing::internal::GetCapturedStderr();
  const auto loaded = load_translation_model(job / "run", device());
  const auto translator = loaded.translator();
  auto test = read_line_pairs(job.config.data.train_source, job.config.data.train_target);
  std::vector<std::string> lines;
  for (const auto& source : test.sources)
    lines.push_back(translator.translate(std::vector{source}, loaded.config.decoding).front().candidates.front().text);
  EXPECT_EQ(translate_texts(translator, loaded.config.decoding, test.sources).texts, lines);
  EXPECT_GT(std::set(lines.begin(), lines.end()).size(), 1u);
  test.references = lines;
  test.references[0] += " and more";
  const auto score = evaluate_model(translator, loaded.config.decoding, test);
  const auto wanted = corpus_bleu(lines, test.references);
  EXPECT_EQ(score.score, wanted.score);
  EXPECT_EQ(score.precisions, wanted.precisions);
  EXPECT_EQ(score.precisions[0], 100);
  EXPECT_EQ(score.brevity_penalty, wanted.brevity_penalty);
  EXPECT_LT(score.brevity_penalty, 1);
}

TEST_P(TranslateTextsTest, TruncatedSourcesCauseAWarning) {
  set_up_runtime(1);
  SmallJob job(device());
  job.config.training.max_steps = 0;
  auto lines = lines_of_file(job.config.data.test_source);
  lines[4] = lines[6] = std::string(100, 'a');
  write_lines(job.config.data.test_source, lines);
  testing::internal::CaptureStderr();
  job.run();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("warning: 2 lines of the test source longer than the 64 pieces of data.max_length: only "
                        "the beginning is translated and scored (first lines: 5, 7)"));
}

TEST_P(TranslateTextsTest, TranslationsOfAnotherProcessWithAnImpossibleSizeAreRefused) {
  set_up_runtime(1);
  SmallJob job(device());
  job.config.training.max_steps = 0;
  testing::internal::CaptureStderr();
  job.run();
  testing::internal::GetCapturedStderr();
  const auto loaded = load_translation_model(job / "run", device());
  const auto translator = loaded.translator();
  const std::vector<std::string> lines = {"bada", "kilo"};
  for (const std::string& sent : {std::string(), std::string(8, '\0'), std::string(9, '\xff')})
    run_processes(2, [&](Exchange& exchange) {
      if (exchange.rank() == 1)
        exchange.all_gather_texts(sent);
      else
        EXPECT_THAT([&] { translate_texts(translator, loaded.config.decoding, lines, "job", exchange); },
                    testing::ThrowsMessage<Error>(HasSubstr("data of another size than expected")));
    });
}

INSTANTIATE_DEVICES(TranslateTextsTest);

}  // namespace
}  // namespace gloss
