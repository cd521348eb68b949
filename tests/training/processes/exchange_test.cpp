#include "training/processes/exchange.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
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

/// A process whose peer sends the given numbers of bytes, then that many zeros at most.
class PeerOfOddTexts final : public Exchange {
 public:
  explicit PeerOfOddTexts(std::int64_t length) : Exchange(0, 2), length_(length) {}

  at::Tensor all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>&) override { return sent; }
  at::Tensor all_gather(const at::Tensor& part) override {
    return part.scalar_type() == at::kLong ? at::cat({part, at::tensor({length_})}) : at::cat({part, part});
  }
  at::Tensor gather(const at::Tensor& part) override { return part; }

 private:
  std::int64_t length_;
};

TEST(ExchangeTest, ATextOfAnImpossibleLengthIsRefused) {
  EXPECT_THAT(PeerOfOddTexts(3).all_gather_texts("abc"), ElementsAre("abc", "abc"));
  for (const auto length : {std::int64_t{-1}, std::int64_t{1} << 60, std::numeric_limits<std::int64_t>::min()})
    EXPECT_THAT([&] { PeerOfOddTexts(length).all_gather_texts("abc"); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("data of another size than expected")))
        << length;
}

}  // namespace
}  // namespace gloss
