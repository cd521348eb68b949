#include "tensor/thread_count.h"

#include <thread>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/linear.h>
#include <gtest/gtest.h>

#include "tests/support/formula_tensor.h"
#include "tests/support/new_thread.h"
#include "tests/support/tensor_matchers.h"

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

// Depending on the processor, MKL rounds some of these products differently where it may use four threads, and does so
// even inside a parallel region.
TEST(ThreadCountTest, ProductsRoundAsWithThatNumberForAllThreads) {
  const int before = at::get_num_threads();
  for (const std::int64_t rows : {1, 3, 40, 60})
    for (const std::int64_t terms : {64, 512, 1024, 2048})
      for (const std::int64_t columns : {20, 512, 1024}) {
        const auto a = formula_tensor({rows, terms}, at::kCPU, 1), b = formula_tensor({columns, terms}, at::kCPU, 2);
        at::Tensor alone, limited;
        std::thread([&] {
          at::set_num_threads(1);
          alone = at::linear(a, b);
          at::set_num_threads(4);
          const ThreadCount one(1);
          limited = at::linear(a, b);
        }).join();
        EXPECT_THAT(limited, SameAs(alone)) << rows << " x " << terms << " x " << columns;
      }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace gloss
