#include "training/processes/exchange.h"

#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thread_exchange.h"

namespace gloss {
namespace {

using testing::ElementsAre;

TEST(ExchangeTest, AProcessAloneGetsWhatItSends) {
  auto& alone = no_exchange();
  EXPECT_TRUE(alone.is_alone());
  EXPECT_TRUE(alone.is_first());
  const auto values = at::arange(6).view({2, 3});
  EXPECT_TRUE(alone.all_gather(values).equal(values.flatten()));
  EXPECT_TRUE(alone.gather(values).equal(values.flatten()));
  EXPECT_TRUE(alone.all_to_all(values, {6}).equal(values));
  EXPECT_THAT(alone.all_gather_texts("a"), ElementsAre("a"));
}

TEST(ExchangeTest, TextsOfAnyLengthReachAll) {
  const std::string with_nul("c\0d", 3);
  run_processes(3, [&](Exchange& exchange) {
    const std::vector<std::string> texts = {"", "a longer text", with_nul};
    EXPECT_EQ(exchange.all_gather_texts(texts[static_cast<std::size_t>(exchange.rank())]), texts);
    EXPECT_THAT(exchange.all_gather_texts(""), ElementsAre("", "", ""));
  });
}

}  // namespace
}  // namespace gloss
