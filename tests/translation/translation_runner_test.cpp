// Calls of several threads on one runner.
#include "translation/translation_runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/translation/letters.h"

namespace gloss {
namespace {

using testing::Each;
using testing::ElementsAre;
using Status = LineTranslation::Status;

/// Copies letters. The first batch waits in `start` until `open` is called; a batch with the letter `q` fails.
class GatedScorer final : public Scorer {
 public:
  std::unique_ptr<State> start(const PaddedIds& source) const override {
    std::unique_lock lock(mutex_);
    batches_.push_back(std::ssize(source.lengths));
    changed_.notify_all();
    if (batches_.size() == 1) changed_.wait(lock, [this] { return open_; });
    const auto ids = source.ids.to(at::kCPU).contiguous();
    const auto* const begin = ids.const_data_ptr<std::int64_t>();
    if (std::find(begin, begin + ids.numel(), 4 + 'q' - 'a') != begin + ids.numel()) throw std::runtime_error("q");
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

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_for_first_batch() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !batches_.empty(); });
  }
  std::vector<std::int64_t> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<std::int64_t> batches_;
  bool open_ = false;
  FakeScorer scorer_{copy_letters, kLetterVocabulary, at::kCPU};
};

/// One place to compute, which a first call holds until `let_go`; other calls wait for it.
class TranslationRunnerTest : public testing::Test {
 protected:
  using Hooks = TranslationHooks;

  ~TranslationRunnerTest() override { let_go(); }
  std::vector<LineTranslation> translate(const std::vector<std::string>& lines, const DecodingConfig& config = {},
                                         const Hooks& hooks = {}) const {
    return translator_.translate(lines, config, hooks);
  }
  void hold() {
    threads_.emplace_back([this] { translate({"held"}); });
    scorer_->wait_for_first_batch();
  }
  /// Starts a call and returns when its lines wait.
  void call(const std::vector<std::string>& lines, const DecodingConfig& config = {}, Hooks hooks = {}) {
    const auto number = threads_.size();
    threads_.emplace_back([=, this] {
      std::string found;
      try {
        for (const auto& line : translate(lines, config, hooks))
          found += line.complete() ? line.candidates.at(0).text + ' ' : "- ";
      } catch (const std::runtime_error& error) {
        found = error.what();
      }
      const std::lock_guard lock(mutex_);
      found_[number] = found;
    });
    while (translator_.runner().waiting_calls() <= number) std::this_thread::yield();
  }
  void let_go() {
    scorer_->open();
    for (auto& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  std::shared_ptr<GatedScorer> scorer_ = std::make_shared<GatedScorer>();
  std::shared_ptr<const Letters> letters_ = std::make_shared<Letters>();
  LineTranslator translator_{scorer_, letters_, letters_, 100};
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::map<std::size_t, std::string> found_;  ///< by number of the call, from 1; 0 holds the place
};

TEST_F(TranslationRunnerTest, LinesOfCallsThatWaitAreOneBatch) {
  hold();
  call({"a", "bb"});
  call({"ccc"});
  call({"d"});
  let_go();
  EXPECT_THAT(scorer_->batches(), ElementsAre(1, 4));
  EXPECT_EQ(found_[1], "a bb ");
  EXPECT_EQ(found_[2], "ccc ");
  EXPECT_EQ(found_[3], "d ");
}

TEST_F(TranslationRunnerTest, OtherSettingsAreOtherBatches) {
  hold();
  call({"a"});
  call({"b"}, {.beam_size = 1});
  call({"c"});
  call({"d"}, {.beam_size = 1});
  let_go();
  EXPECT_THAT(scorer_->batches(), ElementsAre(1, 2, 2));
}

TEST_F(TranslationRunnerTest, ABatchTakesTheLinesOfLikeLength) {
  hold();
  const DecodingConfig config{.batch_size = 2};
  call({"aaaa"}, config);
  call({"b"}, config);
  call({"ccc"}, config);
  call({"d"}, config);
  let_go();
  EXPECT_THAT(scorer_->batches(), ElementsAre(1, 2, 2));
  const std::vector<std::string> wanted = {"aaaa ", "b ", "ccc ", "d "};
  for (std::size_t call = 1; call <= wanted.size(); ++call) EXPECT_EQ(found_[call], wanted[call - 1]);
}

TEST_F(TranslationRunnerTest, AShortCallIsNotSearchedWithALongOne) {
  DecodingConfig config;
  config.batch_size = 64;
  hold();
  call(std::vector<std::string>(20, "a"), config);
  call({"b"}, config);
  call({"c", "d"}, config);
  let_go();
  EXPECT_THAT(scorer_->batches(), ElementsAre(1, 20, 3));
}

TEST_F(TranslationRunnerTest, CallsTakeTurns) {
  hold();
  std::mutex order_mutex;
  std::string order;
  const auto noting = [&](char name) {
    return Hooks{.before_batch = [&, name](std::int64_t) {
      const std::lock_guard lock(order_mutex);
      order += name;
    }};
  };
  call({"a", "b", "c", "d"}, {.batch_size = 1}, noting('b'));   // a book
  call({"e"}, {.beam_size = 2, .batch_size = 1}, noting('w'));  // a word
  let_go();
  EXPECT_LE(order.find('w'), 1u) << order;
  EXPECT_EQ(order.size(), 5u);
}

TEST_F(TranslationRunnerTest, AWordWaitsForOneOfManyBooks) {
  hold();
  std::mutex order_mutex;
  std::string order;
  const auto noting = [&](char name) {
    return Hooks{.before_batch = [&, name](std::int64_t) {
      const std::lock_guard lock(order_mutex);
      order += name;
    }};
  };
  for (std::int64_t book = 1; book <= 3; ++book)
    call(std::vector<std::string>(10, "a"), {.beam_size = book, .batch_size = 10}, noting('b'));
  call({"e"}, {.beam_size = 4}, noting('w'));
  let_go();
  EXPECT_EQ(order, "bwbb");
}

TEST_F(TranslationRunnerTest, AFailureIsThatOfItsCallAlone) {
  hold();
  call({"a"});
  call({"q", "b"});
  call({"c"});
  let_go();
  EXPECT_EQ(found_[1], "a ");
  EXPECT_EQ(found_[2], "q");
  EXPECT_EQ(found_[3], "c ");
  EXPECT_EQ(found_[0], "");
}

TEST_F(TranslationRunnerTest, ACallThatWaitsEndsAtItsDeadlineOrStop) {
  hold();
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  const auto late = translate({"a"}, {}, {.deadline = soon});
  EXPECT_EQ(late.at(0).status, Status::kDeadline);
  std::stop_source stop;
  call({"b"}, {}, {.stop = stop.get_token()});
  stop.request_stop();
  threads_.back().join();  // while the first call still holds the only place
  EXPECT_EQ(found_[1], "- ");
}

TEST_F(TranslationRunnerTest, ALineThatNobodyWaitsForLeavesItsBatch) {
  hold();
  std::stop_source stop;
  call({"aaaaaaaa"});
  call({"bbbbbbbb"}, {},
       {.before_step =
            [&, steps = 0]() mutable {
              if (++steps == 3) stop.request_stop();
            },
        .stop = stop.get_token()});
  let_go();
  EXPECT_THAT(scorer_->batches(), ElementsAre(1, 2));
  EXPECT_EQ(found_[1], "aaaaaaaa ");
  EXPECT_EQ(found_[2], "- ");
}

TEST_F(TranslationRunnerTest, ResultsComeOnTheThreadThatWaits) {
  scorer_->open();
  const auto several = translator_.with_workers(3);
  const std::vector<std::string> lines(60, "abc");
  std::vector<int> times(lines.size());
  const auto caller = std::this_thread::get_id();
  const auto found = several.translate(lines, {.batch_size = 4},
                                       {.on_result = [&](std::size_t line, const LineTranslation& translation) {
                                         EXPECT_EQ(std::this_thread::get_id(), caller);
                                         EXPECT_EQ(translation.candidates.at(0).text, "abc");
                                         ++times.at(line);
                                         // A callback may translate.
                                         EXPECT_EQ(several.translate(std::vector<std::string>{"z"}, {}).size(), 1u);
                                         return true;
                                       }});
  EXPECT_THAT(times, Each(1));
  EXPECT_EQ(found.size(), lines.size());
  int results = 0;
  several.translate(lines, {.batch_size = 4}, {.on_result = [&](std::size_t, const auto&) { return ++results < 3; }});
  EXPECT_EQ(results, 3);
  EXPECT_THROW(several.translate(lines, {}, {.on_result = [](std::size_t, const auto&) -> bool {
                                   throw std::runtime_error("enough");
                                 }}),
               std::runtime_error);
}

TEST_F(TranslationRunnerTest, EachThreadHasABatchIfThereAreEnoughLines) {
  scorer_->open();
  const auto batches_of = [&](std::size_t lines, std::int64_t workers) {
    const auto before = scorer_->batches().size();
    const std::vector<std::string> texts(lines, "a");
    EXPECT_EQ(translator_.with_workers(workers).translate(texts, {.batch_size = 64}).size(), lines);
    return scorer_->batches().size() - before;
  };
  EXPECT_EQ(batches_of(40, 1), 1u);
  EXPECT_GE(batches_of(40, 2), 2u);
  EXPECT_EQ(batches_of(14, 2), 1u) << "a few lines are computed by all threads together";
  EXPECT_GE(batches_of(129, 2), 3u) << "a batch does not exceed its size";
}

TEST_F(TranslationRunnerTest, ThreadsFindTheSame) {
  const LineTranslator translator(std::make_shared<FakeScorer>(random_rule(kLetterVocabulary), kLetterVocabulary,
                                                               at::kCPU, FakeScorer::Options{.max_target_length = 12}),
                                  letters_, letters_, 100);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 50; ++i) lines.emplace_back(i % 5, static_cast<char>('a' + i % 20));
  for (const std::int64_t beam_size : {1, 3}) {
    const DecodingConfig config{.beam_size = beam_size, .n_best = beam_size, .batch_size = 3};
    const auto wanted = translator.translate(lines, config),
               found = translator.with_workers(4).translate(lines, config);
    ASSERT_EQ(found.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_EQ(found[i].candidates.size(), wanted[i].candidates.size());
      for (std::size_t k = 0; k < wanted[i].candidates.size(); ++k) {
        EXPECT_EQ(found[i].candidates[k].text, wanted[i].candidates[k].text);
        EXPECT_EQ(found[i].candidates[k].score, wanted[i].candidates[k].score);
      }
    }
  }
}

TEST_F(TranslationRunnerTest, NeedsAWorker) {
  EXPECT_THROW(TranslationRunner(0), UsageError);
  EXPECT_EQ(translator_.with_workers(3).runner().workers(), 3);
}

}  // namespace
}  // namespace gloss
