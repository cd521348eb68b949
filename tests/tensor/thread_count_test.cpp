#include "tensor/thread_count.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tests/support/new_thread.h"
#include "tests/support/tensor_matchers.h"
#include "tests/tensor/products.h"

/// MKL's number of threads for the calling thread.
extern "C" int MKL_Get_Max_Threads() __attribute__((weak));

namespace gloss {
namespace {

TEST(ThreadCountTest, HoldsForTheCallingThreadWhileItLives) {
  const int before = at::get_num_threads(), usual = threads_of_a_new_thread();
  {
    const ThreadCount outer(usual + 1);
    EXPECT_EQ(at::get_num_threads(), usual + 1);
    EXPECT_EQ(threads_of_a_new_thread(), usual) << "another thread";
    {
      const ThreadCount inner(usual + 2);
      EXPECT_EQ(at::get_num_threads(), usual + 2);
    }
    EXPECT_EQ(at::get_num_threads(), usual + 1);
  }
  EXPECT_EQ(at::get_num_threads(), before);
  EXPECT_EQ(threads_of_a_new_thread(), usual);
}

TEST(ThreadCountTest, IsMklsNumberToo) {
  if (!at::hasMKL()) GTEST_SKIP() << "LibTorch without MKL";
  ASSERT_NE(MKL_Get_Max_Threads, nullptr);
  const int before = MKL_Get_Max_Threads();
  {
    const ThreadCount outer(before + 1);
    EXPECT_EQ(MKL_Get_Max_Threads(), before + 1);
    {
      const ThreadCount inner(1);
      EXPECT_EQ(MKL_Get_Max_Threads(), 1);
    }
    EXPECT_EQ(MKL_Get_Max_Threads(), before + 1);
  }
  EXPECT_EQ(MKL_Get_Max_Threads(), before);
}

TEST(ThreadCountTest, ProductsRoundAsWithThatNumberForAllThreads) {
  for_each_product([](const auto& product, const at::Tensor& wanted) {
    const ThreadCount one(1);
    EXPECT_THAT(product(), SameAs(wanted));
  });
}

}  // namespace
}  // namespace gloss
