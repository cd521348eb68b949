#include "tests/library/translator_test.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gloss/translator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

TEST_P(TranslatorTest, OneTranslationForEachLineWithItsPiecesAndScores) {
  const auto translations = translator().translate(kLines);
  ASSERT_THAT(translations, SizeIs(kLines.size()));
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    EXPECT_TRUE(translations[i].complete());
    ASSERT_THAT(translations[i].candidates, SizeIs(1));
    const auto& best = translations[i].candidates[0];
    EXPECT_EQ(best.pieces.empty(), kLines[i].empty());
    if (best.pieces.empty()) continue;
    const auto length = static_cast<double>(best.pieces.size() + (best.ended ? 1 : 0));
    EXPECT_DOUBLE_EQ(best.score, best.log_probability / length);  // the model's length penalty is 1
    EXPECT_LT(best.log_probability, 0);
    std::string letters, joined;
    for (const char letter : best.text)
      if (letter != ' ') letters += letter;
    for (auto piece : best.pieces) joined += piece.starts_with("\u2581") ? piece.substr(3) : piece;
    EXPECT_EQ(letters, joined);
    EXPECT_TRUE(equal(translations[i], translator().translate_line(kLines[i])));
  }
  EXPECT_EQ(translations[2].text(), "");
}

TEST_P(TranslatorTest, PlainTranslationsEqualToRoundingInAnyBatch) {
  const Translator plain(kModel, {.device = device(), .threads = 1, .plain = true});
  const Translator threads(kModel, {.device = device(), .threads = 3, .plain = true});
  const auto translations = plain.translate(kLines), wanted = translator().translate(kLines);
  EXPECT_EQ(texts(translations), texts(wanted));
  const auto shared = threads.translate(kLines, {.batch_size = 2});
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    EXPECT_NEAR(translations[i].candidates[0].score, wanted[i].candidates[0].score, 1e-4);
    EXPECT_TRUE(equal(translations[i], plain.translate_line(kLines[i])));
    EXPECT_TRUE(equal(translations[i], shared[i]));
  }
  EXPECT_THAT([] { Translator(kModel, {.device = device(), .precision = MatrixPrecision::kInt8, .plain = true}); },
              ThrowsMessage<TranslatorUsageError>(HasSubstr("precision: wanted float32 beside plain, got int8")));
}

TEST_P(TranslatorTest, CandidatesAreBestFirstAndTruncationIsReported) {
  const auto translation = translator().translate_line(kLines[0], {.beam_size = 4, .n_best = 3});
  ASSERT_THAT(translation.candidates, SizeIs(3));
  EXPECT_GE(translation.candidates[0].score, translation.candidates[1].score);
  EXPECT_GE(translation.candidates[1].score, translation.candidates[2].score);
  EXPECT_FALSE(translation.truncated);
  std::string long_line;
  for (int i = 0; i < 30; ++i) long_line += "quso ";
  EXPECT_TRUE(translator().translate_line(long_line).truncated);
}

TEST_P(TranslatorTest, OptionsReplaceTheModels) {
  const auto shortest = translator().translate_line(kLines[0], {.beam_size = 1, .max_length = 2}).candidates[0];
  EXPECT_LE(shortest.pieces.size(), 2u);
  const auto longest = translator().translate_line(kLines[0], {.beam_size = 1, .min_length = 9}).candidates[0];
  EXPECT_GE(longest.pieces.size(), 9u);
  const auto sum = translator().translate_line(kLines[0], {.length_penalty = 0}).candidates[0];
  EXPECT_EQ(sum.score, sum.log_probability);
}

TEST_P(TranslatorTest, ThreadsShareOneWithEqualResults) {
  const auto alone = translator().translate(kLines);
  const std::vector<std::string> reversed(kLines.rbegin(), kLines.rend());
  std::vector<std::vector<Translation>> forward(30), backward(30);
  std::thread other([&] {
    for (auto& found : backward) found = translator().translate(reversed, {.batch_size = 2});
  });
  for (auto& found : forward) found = translator().translate(kLines);
  other.join();
  for (std::size_t round = 0; round < forward.size(); ++round)
    for (std::size_t i = 0; i < kLines.size(); ++i) {
      EXPECT_TRUE(equal(forward[round][i], alone[i]));
      EXPECT_TRUE(equal(backward[round][kLines.size() - 1 - i], alone[i]));
    }
}

TEST_P(TranslatorTest, ACallInTheMiddleOfAnotherChangesNothing) {
  const auto inner = translator().translate(kLines), outer = translator().translate(kLines, greedy_);
  greedy_.on_token = [&](const StreamedToken& token) {
    const auto among = [&] {
      const auto found = token.line == 0 ? translator().translate(kLines) : inner;
      for (std::size_t i = 0; i < kLines.size(); ++i) EXPECT_TRUE(equal(found[i], inner[i]));
    };
    std::thread(among).join();
    return true;
  };
  const auto found = translator().translate(kLines, greedy_);
  for (std::size_t i = 0; i < kLines.size(); ++i) EXPECT_TRUE(equal(found[i], outer[i]));
}

TEST_P(TranslatorTest, CopiesShareTheModelAndOutliveTheFirst) {
  const auto before = texts(translator().translate(kLines));
  const Translator copy = translator();
  translator_.reset();
  EXPECT_EQ(texts(copy.translate(kLines)), before);
}

TEST_P(TranslatorTest, TokensAreStreamedAsTheyAreFound) {
  std::vector<std::vector<StreamedToken>> streamed(kLines.size());
  std::vector<std::size_t> order;
  greedy_.on_token = [&](const StreamedToken& token) {
    EXPECT_TRUE(streamed[token.line].empty() || !streamed[token.line].back().end);
    streamed[token.line].push_back(token);
    order.push_back(token.line);
    return true;
  };
  const auto translations = translator().translate(kLines, greedy_);
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    ASSERT_TRUE(translations[i].complete());
    if (kLines[i].empty()) {
      EXPECT_THAT(streamed[i], IsEmpty());
      continue;
    }
    const auto& best = translations[i].candidates[0];
    ASSERT_THAT(streamed[i], SizeIs(best.pieces.size() + 1));
    double sum = 0;
    for (std::size_t t = 0; t < streamed[i].size(); ++t) {
      sum += streamed[i][t].log_probability;
      EXPECT_EQ(streamed[i][t].end, t == best.pieces.size());
      EXPECT_EQ(streamed[i][t].piece, t == best.pieces.size() ? "" : best.pieces[t]);
    }
    EXPECT_NEAR(sum, best.log_probability, 1e-9);
    EXPECT_EQ(streamed[i].back().text, best.text);
  }
  // All sentences of a batch get their first token before any sentence gets its second.
  EXPECT_NE(order[0], order[1]);
}

TEST_P(TranslatorTest, FalseCancelsAndFinishedLinesAreComplete) {
  const auto whole = translator().translate(kLines, greedy_);
  std::vector<bool> ended(kLines.size());
  greedy_.batch_size = 1;  // longest first: the first to end is line 3
  greedy_.on_token = [&](const StreamedToken& token) {
    ended[token.line] = ended[token.line] || token.end;
    return !token.end;
  };
  const auto translations = translator().translate(kLines, greedy_);
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    if (ended[i] || kLines[i].empty()) {
      EXPECT_TRUE(equal(translations[i], whole[i])) << i;
    } else {
      EXPECT_EQ(translations[i].status, Translation::Status::kCancelled) << i;
      EXPECT_THAT(translations[i].candidates, IsEmpty());
    }
  }
  EXPECT_THAT(ended, testing::ElementsAre(false, false, false, true, false));
}

TEST_P(TranslatorTest, AStopWithinABatchEndsItBeforeTheNextStep) {
  std::stop_source source;
  greedy_.stop = source.get_token();
  greedy_.min_length = 5;
  std::size_t tokens = 0;
  greedy_.on_token = [&](const StreamedToken&) {
    ++tokens;
    source.request_stop();
    return true;
  };
  const auto translations = translator().translate(kLines, greedy_);
  EXPECT_EQ(tokens, 4u);  // one of each line that is not empty
  for (std::size_t i = 0; i < kLines.size(); ++i)
    EXPECT_EQ(translations[i].status,
              kLines[i].empty() ? Translation::Status::kComplete : Translation::Status::kCancelled);
}

TEST_P(TranslatorTest, ADeadlineWithinABatchEndsItBeforeTheNextStep) {
  greedy_.deadline = steady_clock::now() + 300ms;
  greedy_.min_length = 5;
  std::size_t tokens = 0;
  greedy_.on_token = [&](const StreamedToken&) {
    ++tokens;
    std::this_thread::sleep_until(*greedy_.deadline);
    return true;
  };
  const auto translations = translator().translate(kLines, greedy_);
  EXPECT_LE(tokens, 4u);  // none if the stop comes before the first step
  ASSERT_THAT(translations, SizeIs(kLines.size()));
  for (const auto i : {0, 1, 3, 4}) EXPECT_EQ(translations[i].status, Translation::Status::kDeadline);
}

TEST_P(TranslatorTest, APastDeadlineOrStopFindsNothingAndAFutureOneChangesNothing) {
  const auto late = translator().translate(kLines, {.deadline = steady_clock::now() - 1s});
  ASSERT_THAT(late, SizeIs(kLines.size()));
  for (const auto& translation : late) {
    EXPECT_EQ(translation.status, Translation::Status::kDeadline);
    EXPECT_THAT(translation.candidates, IsEmpty());
    EXPECT_EQ(translation.text(), "");
  }
  std::stop_source source;
  const TranslationOptions stoppable{.deadline = steady_clock::now() + 1h, .stop = source.get_token()};
  const auto found = translator().translate(kLines, stoppable), wanted = translator().translate(kLines);
  for (std::size_t i = 0; i < kLines.size(); ++i) EXPECT_TRUE(equal(found[i], wanted[i]));
  source.request_stop();
  const auto stopped = translator().translate(kLines, stoppable);
  ASSERT_THAT(stopped, SizeIs(kLines.size()));
  for (const auto& translation : stopped) EXPECT_EQ(translation.status, Translation::Status::kCancelled);
}

TEST_P(TranslatorTest, ExceptionsOfACallbackLeaveUnchanged) {
  greedy_.on_token = [](const StreamedToken&) -> bool { throw std::out_of_range("mine"); };
  EXPECT_THAT([&] { translator().translate(kLines, greedy_); }, ThrowsMessage<std::out_of_range>("mine"));
}

INSTANTIATE_TEST_SUITE_P(Devices, TranslatorTest, testing::Values("cpu", "gpu"),
                         [](const auto& device) { return device.param; });

TEST(TranslatorErrorTest, HasTheKindOfTheFailure) {
  const TemporaryFolder folder;
  const auto kind_of = [](const std::string& model, const TranslatorSettings& settings) -> std::optional<ErrorKind> {
    try {
      const Translator translator(model, settings);
      return std::nullopt;
    } catch (const TranslatorError& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("--")));
      return error.kind();
    }
  };
  std::ofstream(folder / "text") << "This is no model.\n";
  EXPECT_EQ(kind_of(kModel, {}), std::nullopt);
  EXPECT_EQ(kind_of(folder / "missing", {}), ErrorKind::kUsage);
  EXPECT_EQ(kind_of(folder / "text", {}), ErrorKind::kModel);
  for (const auto* device : {"tpu", "cuda:", "cuda:999"})  // the last does not exist
    EXPECT_EQ(kind_of(kModel, {.device = device}), ErrorKind::kUsage);
  EXPECT_EQ(kind_of(kModel, {.device = "cuda"}).value_or(ErrorKind::kUsage),
            ErrorKind::kUsage);  // if there is no CUDA device
  EXPECT_EQ(kind_of(kModel, {.threads = -1}), ErrorKind::kUsage);
}

}  // namespace
}  // namespace gloss
