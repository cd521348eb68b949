#include "serve/service/memory_reserve.h"

#include <new>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(MemoryReserve, IsGivenBackBitByBitUntilItIsRefilled) {
  {
    MemoryReserve reserve;
    const auto handler = std::get_new_handler();
    ASSERT_NE(handler, nullptr);
    EXPECT_NO_THROW(handler());
    EXPECT_NO_THROW(handler());
    EXPECT_THROW(handler(), std::bad_alloc);
    reserve.refill();
    EXPECT_NO_THROW(handler());
  }
  EXPECT_EQ(std::get_new_handler(), nullptr);
}

}  // namespace
}  // namespace gloss
