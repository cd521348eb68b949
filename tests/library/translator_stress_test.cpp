#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gloss/translator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/library/translations.h"

namespace gloss {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;
using testing::IsEmpty;
using testing::SizeIs;
using Status = Translation::Status;

constexpr int kThreads = 8, kCallsOfAThread = 15;

/// GLOSS_STRESS_SEED gives other moments.
unsigned seed() {
  const char* const given = std::getenv("GLOSS_STRESS_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
}

/// The searches that the threads do at the same time.
std::vector<TranslationOptions> searches() {
  return {{.beam_size = 3, .n_best = 2, .glossary = {{"baka", "nipa ratu"}, {"yoze", "lemu"}}},
          {.beam_size = 1},
          {.sample = true, .seed = 7},
          {.min_length = 4, .confidence = true, .alignment = true}};
}

/// One thread's calls, each of which ends by itself, at a deadline, by another thread's stop or by its callback.
class RandomCalls {
 public:
  RandomCalls(const Translator& translator, const std::vector<std::vector<Translation>>& usual, unsigned seed)
      : translator_(translator), usual_(usual), random_(seed) {}

  void call() {
    const auto which = static_cast<std::size_t>(below(static_cast<int>(usual_.size())));
    auto options = searches()[which];
    std::stop_source stop;
    std::jthread stopper;
    auto early = Status::kComplete;
    switch (below(4)) {
      case 0:
        early = Status::kDeadline;
        options.deadline = steady_clock::now() + moment();
        break;
      case 1:
        early = Status::kCancelled;
        options.stop = stop.get_token();
        stopper = std::jthread([stop, after = moment()]() mutable {
          std::this_thread::sleep_for(after);
          stop.request_stop();
        });
        break;
      case 2:
        early = Status::kCancelled;
        options.on_token = [left = below(12)](const StreamedToken&) mutable { return left-- > 0; };
        break;
      default:
        break;
    }
    check(Translator(translator_).translate(kLines, options), usual_[which], early);
  }

  int complete = 0, ended_early = 0;  // lines

 private:
  int below(int bound) { return std::uniform_int_distribution(0, bound - 1)(random_); }
  microseconds moment() { return microseconds(below(10'000)); }

  void check(const std::vector<Translation>& found, const std::vector<Translation>& usual, Status early) {
    ASSERT_THAT(found, SizeIs(usual.size()));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].complete()) {
        ++complete;
        EXPECT_TRUE(equal(found[i], usual[i])) << found[i].text() << " and " << usual[i].text();
      } else {
        ++ended_early;
        EXPECT_EQ(found[i].status, early);
        EXPECT_THAT(found[i].candidates, IsEmpty());
      }
    }
  }

  const Translator& translator_;
  const std::vector<std::vector<Translation>>& usual_;
  std::mt19937 random_;
};

TEST(TranslatorStressTest, CallsThatEndAtRandomMomentsChangeNoOther) {
  SCOPED_TRACE("GLOSS_STRESS_SEED=" + std::to_string(seed()));
  const Translator translator(kModel, {.device = "cpu", .threads = 2, .alignment = true});
  std::vector<std::vector<Translation>> usual;
  for (const auto& options : searches()) usual.push_back(translator.translate(kLines, options));
  std::atomic<int> complete = 0, ended_early = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        RandomCalls calls(translator, usual, seed() * kThreads + static_cast<unsigned>(thread));
        for (int i = 0; i < kCallsOfAThread; ++i) calls.call();
        complete += calls.complete;
        ended_early += calls.ended_early;
      });
  }
  EXPECT_GT(complete, 0);
  EXPECT_GT(ended_early, 0);
}

}  // namespace
}  // namespace gloss
