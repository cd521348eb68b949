// How a call of LineTranslator::translate ends before all lines are found, and what it shows until then.
#include "translation/translation_job.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/temporary_folder.h"
#include "tests/translation/letters.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Status = LineTranslation::Status;

/// Copies letters and fails in `start` if a batch has more than `capacity` of them.
class ScarceScorer final : public Scorer {
 public:
  explicit ScarceScorer(std::int64_t capacity) : capacity_(capacity) {}

  std::unique_ptr<State> start(const PaddedIds& source) const override {
    std::int64_t letters = 0;
    for (const auto length : source.lengths) letters += length - 1;
    {
      const std::lock_guard lock(mutex_);
      batches.push_back(std::ssize(source.lengths));
      if (letters > capacity_) fail();
    }
    return scorer_.start(source);
  }
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override {
    return scorer_.step(state, tokens, site);
  }
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override {
    scorer_.select(state, sentences, parents);
  }
  std::int64_t vocabulary_size() const override { return scorer_.vocabulary_size(); }
  std::int64_t max_target_length() const override { return scorer_.max_target_length(); }
  at::Device device() const override { return scorer_.device(); }

  std::function<void()> fail = [] { throw std::bad_alloc(); };
  mutable std::vector<std::int64_t> batches;

 private:
  std::int64_t capacity_;
  mutable std::mutex mutex_;
  FakeScorer scorer_{copy_letters, kLetterVocabulary, at::kCPU};
};

class TranslationJobTest : public testing::Test {
 protected:
  std::vector<LineTranslation> translate(const std::vector<std::string>& lines, const TranslationHooks& hooks) const {
    return LineTranslator(scorer_, letters_, letters_, 100).translate({.lines = lines}, config_, hooks);
  }
  std::vector<std::string> texts(const std::vector<std::string>& lines) const {
    std::vector<std::string> result;
    for (const auto& translation : translate(lines, {.halve_when_out_of_memory = true}))
      result.push_back(translation.status == Status::kOutOfMemory ? "lost" : translation.candidates.at(0).text);
    return result;
  }

  std::shared_ptr<ScarceScorer> scorer_ = std::make_shared<ScarceScorer>(3);
  std::shared_ptr<const Letters> letters_ = std::make_shared<Letters>();
  DecodingConfig config_{.beam_size = 1};
};

TEST_F(TranslationJobTest, LinesThatFitIntoMemoryAreOneBatch) {
  EXPECT_THAT(texts({"a", "b", "c"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(scorer_->batches, ElementsAre(3));
}

TEST_F(TranslationJobTest, LinesThatDoNotFitAreSearchedInHalvesAndKeepTheirOrder) {
  EXPECT_THAT(texts({"a", "bb", "c", "dd", "e"}), ElementsAre("a", "bb", "c", "dd", "e"));
  EXPECT_THAT(scorer_->batches, ElementsAre(5, 2, 1, 1, 3));
}

// Bytes at random, most of which are no characters, and characters that a prefix brings.
TEST_F(TranslationJobTest, StreamedTextOnlyGrowsAndHasCompleteCharacters) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "ab ba\nb a b\nabba\n";
  TokenizerConfig config;
  config.type = TokenizerType::kChar;
  config.vocabulary_size = 400;
  config.byte_fallback = true;
  const auto tokenizer = std::make_shared<SentencePieceTokenizer>(
      train_tokenizer(std::vector<std::filesystem::path>{folder / "text"}, config), "letters");
  const auto V = tokenizer->vocabulary_size();
  const auto scorer =
      std::make_shared<FakeScorer>(random_rule(V), V, at::kCPU, FakeScorer::Options{.max_target_length = 40});
  std::vector<std::string> lines, prefixes;
  for (std::size_t length = 1; length <= 30; ++length) {
    lines.emplace_back(length, 'a');
    prefixes.push_back(length % 3 == 0 ? "" : length % 3 == 1 ? "a \U0001f6a3\u72d7 \u00e9" : "\u72d7  b");
  }
  std::vector<std::string> texts;
  std::size_t held = 0;
  const TranslationHooks hooks{.on_token = [&](const TranslationHooks::TokenEvent& event) {
    auto& before = texts[event.line];
    EXPECT_TRUE(event.text.starts_with(before)) << before << "\n" << event.text;
    held += event.text == before && !event.is_last ? 1 : 0;
    before = event.text;
    return true;
  }};
  for (const std::int64_t beam_size : {1, 3}) {
    held = 0;
    texts.assign(lines.size(), "");
    const auto found =
        LineTranslator(scorer, tokenizer, tokenizer, 100)
            .translate({.lines = lines, .prefixes = prefixes}, {.beam_size = beam_size, .min_length = 20}, hooks);
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(texts[i], found[i].candidates.at(0).text);
    EXPECT_GT(held, 100u);
  }
}

TEST_F(TranslationJobTest, ACopiedLineIsStreamedAsOneEvent) {
  std::vector<std::string> texts;
  translate({"?"}, {.on_token = [&](const TranslationHooks::TokenEvent& event) {
              EXPECT_TRUE(event.is_last);
              texts.push_back(event.text);
              return true;
            }});
  EXPECT_THAT(texts, ElementsAre("?"));
}

TEST_F(TranslationJobTest, BatchesThatWereFoundAreNotSearchedAgain) {
  config_.batch_size = 2;
  scorer_ = std::make_shared<ScarceScorer>(4);
  bool failed = false;
  scorer_->fail = [] { throw std::logic_error("every batch fits"); };
  const auto found = translate({"aa", "bb", "c", "d"}, {.before_batch =
                                                            [&](std::int64_t) {
                                                              if (failed || scorer_->batches.empty()) return;
                                                              failed = true;
                                                              throw std::bad_alloc();
                                                            },
                                                        .halve_when_out_of_memory = true});
  EXPECT_THAT(scorer_->batches, ElementsAre(2, 1, 1));
  ASSERT_THAT(found, SizeIs(4));
  for (const auto& translation : found) EXPECT_TRUE(translation.complete());
}

TEST_F(TranslationJobTest, WithWorkersLinesThatWereFoundAreNotSearchedAgain) {
  config_.batch_size = 1;
  scorer_ = std::make_shared<ScarceScorer>(0);
  scorer_->fail = [started = 0]() mutable {
    if (++started == 3) throw std::bad_alloc();
  };
  const std::vector<std::string> lines = {"ab", "cd", "ef", "gh", "ij", "kl"};
  const auto found = LineTranslator(scorer_, letters_, letters_, 100)
                         .with_workers(2)
                         .translate({.lines = lines}, config_, {.halve_when_out_of_memory = true});
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(found[i].candidates.at(0).text, lines[i]);
  EXPECT_EQ(scorer_->batches.size(), 7u) << "the two that were found, the one that failed, and four more";
}

TEST_F(TranslationJobTest, ALineWhoseDetailsFitAtTheSecondAttemptIsNotSearchedAgain) {
  config_.repetition_penalty = 1.5;  // so that the model scores the tokens again
  const std::vector<std::string> lines = {"a"};
  int calls = 0, failing = 0;
  const auto translated = [&] {
    calls = 0;
    return LineTranslator(scorer_, letters_, letters_, 100)
        .translate({.lines = lines, .details = {.confidence = true}}, config_,
                   {.before_step =
                        [&] {
                          if (++calls == failing) throw std::bad_alloc();
                        },
                    .halve_when_out_of_memory = true})
        .at(0);
  };
  EXPECT_EQ(translated().candidates.at(0).text, "a");
  EXPECT_EQ(calls, 5) << "two steps of the search; a batch and two steps of the details";
  failing = 5;
  EXPECT_EQ(translated().candidates.at(0).text, "a");
  EXPECT_EQ(calls, 8);
}

TEST_F(TranslationJobTest, ALimitEndsTheDetailsAndKeepsTheLinesBefore) {
  config_.repetition_penalty = 1.5;  // so that the model scores the tokens again
  scorer_ = std::make_shared<ScarceScorer>(100);
  const std::vector<std::string> lines(20, "a");
  const auto translated = [&](bool confidence, int last_call) {
    std::stop_source stop;
    int calls = 0;
    const auto found = LineTranslator(scorer_, letters_, letters_, 100)
                           .translate({.lines = lines, .details = {.confidence = confidence}}, config_,
                                      {.before_step =
                                           [&] {
                                             if (++calls == last_call) stop.request_stop();
                                           },
                                       .stop = stop.get_token()});
    EXPECT_LE(calls, last_call);
    std::vector<Status> status;
    for (const auto& line : found) {
      status.push_back(line.status);
      EXPECT_EQ(line.candidates.empty(), !line.complete());
    }
    return status;
  };
  // Two steps of the search, then for each sixteen lines a batch and two steps.
  const auto all = std::vector(20, Status::kComplete), none = std::vector(20, Status::kCanceled);
  auto sixteen = none;
  std::fill_n(sixteen.begin(), 16, Status::kComplete);
  EXPECT_EQ(translated(true, 100), all);
  EXPECT_EQ(translated(true, 3), none);
  EXPECT_EQ(translated(true, 6), sixteen);
  EXPECT_EQ(translated(false, 2), all) << "found, and without details that need the model";
}

TEST_F(TranslationJobTest, DetailsMayBeCanceled) {
  config_.repetition_penalty = 1.5;
  const std::vector<std::string> lines = {"a"};
  int calls = 0;
  const auto give_up = [&] {
    if (++calls == 4) throw std::runtime_error("enough");
  };
  EXPECT_THROW(LineTranslator(scorer_, letters_, letters_, 100)
                   .translate({.lines = lines, .details = {.confidence = true}}, config_, {.before_step = give_up}),
               std::runtime_error);
  EXPECT_EQ(calls, 4);
}

TEST_F(TranslationJobTest, OnlyALineThatDoesNotFitAloneIsLost) {
  EXPECT_THAT(texts({"a", "much", "c", "d"}), ElementsAre("a", "lost", "c", "d"));
  EXPECT_THAT(translate({"much"}, {.halve_when_out_of_memory = true}).at(0).candidates, IsEmpty());
}

// The exceptions of LibTorch, on the host and on a device.
TEST_F(TranslationJobTest, RecognizesTheErrorsOfLibTorch) {
  scorer_->fail = [] { C10_THROW_ERROR(OutOfMemoryError, "CUDA out of memory"); };
  EXPECT_THAT(texts({"much"}), ElementsAre("lost"));
  scorer_->fail = [] { TORCH_CHECK(false, "DefaultCPUAllocator: can't allocate memory: you tried to ..."); };
  EXPECT_THAT(texts({"much"}), ElementsAre("lost"));
}

TEST_F(TranslationJobTest, OtherErrorsLeaveTheCall) {
  scorer_->fail = [] { throw std::runtime_error("other"); };
  EXPECT_THROW(texts({"much", "more"}), std::runtime_error);
  scorer_->fail = [] { TORCH_CHECK(false, "shapes differ"); };
  EXPECT_THROW(texts({"much", "more"}), c10::Error);
  EXPECT_THAT(scorer_->batches, ElementsAre(2, 2));
  scorer_->fail = [] { throw std::bad_alloc(); };
  EXPECT_THROW(translate({"much"}, {}), std::bad_alloc);
}

TEST_F(TranslationJobTest, ACallThatEndsEarlyKeepsWhatItFound) {
  config_.batch_size = 1;
  const std::vector<std::string> lines = {"a", "bb", "", "ccc"};  // searched longest first
  std::stop_source stop;
  auto found = translate(lines, {.before_batch =
                                     [&](std::int64_t) {
                                       if (scorer_->batches.size() == 1) stop.request_stop();
                                     },
                                 .stop = stop.get_token()});
  EXPECT_EQ(found[3].candidates.at(0).text, "ccc");
  EXPECT_TRUE(found[2].complete());
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(found[i].status, Status::kCanceled);
    EXPECT_THAT(found[i].candidates, IsEmpty());
  }
  found = translate(lines, {.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)});
  ASSERT_THAT(found, SizeIs(lines.size()));
  for (const auto& translation : found) EXPECT_EQ(translation.status, Status::kDeadline);
}

TEST_F(TranslationJobTest, WithWorkersAStopEndsEveryBatchAndKeepsWhatWasFound) {
  config_.batch_size = 1;
  const std::vector<std::string> lines(60, "abcdefgh");
  const auto scorer = std::make_shared<FakeScorer>(copy_letters, kLetterVocabulary, at::kCPU);
  const LineTranslator translator(scorer, letters_, letters_, 100);
  for (const std::int64_t workers : {1, 4}) {
    std::stop_source stop;
    int batches = 0;
    const auto found = translator.with_workers(workers).translate({.lines = lines}, config_,
                                                                  {.before_batch =
                                                                       [&](std::int64_t) {
                                                                         if (++batches == 20) stop.request_stop();
                                                                       },
                                                                   .stop = stop.get_token()});
    int complete = 0;
    ASSERT_THAT(found, SizeIs(lines.size()));
    for (const auto& translation : found) {
      if (!translation.complete()) {
        EXPECT_EQ(translation.status, Status::kCanceled);
        continue;
      }
      ++complete;
      EXPECT_EQ(translation.candidates.at(0).text, "abcdefgh");
    }
    EXPECT_GE(complete, 20 - workers);
    EXPECT_LE(complete, 20);
  }
}

TEST_F(TranslationJobTest, TokensArriveOneByOneWithTheTextSoFar) {
  std::vector<std::string> texts;
  double sum = 0;
  const auto found = translate({"abc"}, {.on_token = [&](const TranslationHooks::TokenEvent& token) {
                                 texts.push_back(token.text + (token.is_last ? "." : "/" + token.piece));
                                 sum += token.log_probability;
                                 return true;
                               }});
  EXPECT_THAT(texts, ElementsAre("a/a", "ab/b", "abc/c", "abc."));
  EXPECT_NEAR(sum, found[0].candidates.at(0).log_probability, 1e-9);
}

TEST_F(TranslationJobTest, TheLastEventOfALineHasTheLogProbabilityOfItsEnd) {
  std::vector<TranslationHooks::TokenEvent> last;
  const TranslationHooks hooks{.on_token = [&](const TranslationHooks::TokenEvent& event) {
    if (event.is_last) last.push_back(event);
    return true;
  }};
  translate({"ab", ""}, hooks);
  config_.max_length = 2;
  translate({"ab", ""}, hooks);
  ASSERT_EQ(last.size(), 2u) << "an empty line has no event";
  EXPECT_NEAR(last[0].log_probability, std::log(0.9), 1e-6);
  EXPECT_EQ(last[1].log_probability, 0) << "ended by the length limit";
}

TEST_F(TranslationJobTest, EverySearchStreamsItsBestTranslation) {
  const std::vector<std::string> lines = {"a", "ba"};
  const std::vector<std::pair<std::string, std::string>> entries = {{"a", "zz"}};
  const GlossaryPhrases glossary(TermList::from_entries(entries), *letters_);
  const std::vector<std::pair<DecodingConfig, const GlossaryPhrases*>> searches = {
      {{.beam_size = 3, .n_best = 2}, nullptr},
      {{.beam_size = 1, .n_best = 2, .sampling = {.enabled = true}}, nullptr},
      {config_, &glossary}};
  for (const auto& [config, phrases] : searches) {
    std::vector<std::string> texts(lines.size());
    std::vector<double> sums(lines.size());
    const TranslationHooks hooks{.on_token = [&](const TranslationHooks::TokenEvent& token) {
      EXPECT_TRUE(token.text.starts_with(texts[token.line]));
      texts[token.line] = token.text;
      sums[token.line] += token.log_probability;
      return true;
    }};
    const auto found = LineTranslator(scorer_, letters_, letters_, 100)
                           .translate({.lines = lines, .glossary = phrases}, config, hooks);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto& best = found.at(i).candidates.at(0);
      EXPECT_EQ(texts[i], best.text);
      EXPECT_NEAR(sums[i], best.log_probability, 1e-9);
    }
  }
}

TEST_F(TranslationJobTest, LinesWithAndWithoutAlignmentShareABatchUnlessTheSearchKeepsAttention) {
  const LineTranslator translator(scorer_, letters_, letters_, 100, {.scorer = scorer_});
  const std::vector<std::string> lines = {"ab"};
  const TranslationHooks hooks;
  const TranslationRequest plain{.lines = lines}, aligned{.lines = lines, .details = {.alignment = true}};
  for (const std::int64_t beam_size : {1, 2}) {
    config_.beam_size = beam_size;
    const TranslationJob one(translator, plain, config_, hooks), other(translator, aligned, config_, hooks);
    EXPECT_EQ(one.goes_with(other), beam_size == 2);
    EXPECT_EQ(other.kept_attention().has_value(), beam_size == 1);
  }
}

TEST_F(TranslationJobTest, TokensNeedASearchThatIsNotRepeated) {
  const TranslationHooks hooks{.on_token = [](const auto&) { return true; }, .halve_when_out_of_memory = true};
  EXPECT_THAT([&] { translate({"a"}, hooks); },
              testing::ThrowsMessage<UsageError>(testing::StartsWith("on_token: wanted a ")));
  EXPECT_THAT(scorer_->batches, IsEmpty());
}

TEST_F(TranslationJobTest, ACallNeedsAWorker) {
  const std::vector<std::string> lines = {"a"};
  for (const std::int64_t workers : {0, -1})
    EXPECT_THROW(LineTranslator(scorer_, letters_, letters_, 100).with_workers(workers).translate(lines, config_),
                 UsageError);
}

TEST_F(TranslationJobTest, PrefixesMustBeOneForEachLine) {
  const std::vector<std::string> lines = {"a", "b"}, prefixes = {"a"};
  EXPECT_THROW(
      LineTranslator(scorer_, letters_, letters_, 100).translate({.lines = lines, .prefixes = prefixes}, config_),
      UsageError);
}

}  // namespace
}  // namespace gloss
