#include "tensor/random_words.h"

#include <gtest/gtest.h>

#include "tests/support/device_test.h"

namespace gloss {
namespace {

class RandomWordsTest : public DeviceTest {};

TEST_P(RandomWordsTest, AreTheBitsOfTheStream) {
  for (const auto& stream : {RandomStream(1, "dropout").at(5, 2), RandomStream(~0ULL, "").at(~0U, ~0U)}) {
    for (const std::int64_t count : {0, 1, 3, 4, 5, 1001}) {
      const auto words = random_words(stream, count, device()).to(at::kCPU);
      ASSERT_EQ(words.sizes(), at::IntArrayRef{count});
      for (std::int64_t e = 0; e < count; ++e)
        EXPECT_EQ(words[e].item<std::int64_t>(), stream.bits(static_cast<std::uint64_t>(e))) << e;
    }
  }
}

INSTANTIATE_DEVICES(RandomWordsTest);

}  // namespace
}  // namespace gloss
