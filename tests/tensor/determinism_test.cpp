#include "tensor/determinism.h"

#include <cstdlib>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <omp.h>

namespace gloss {
namespace {

TEST(DeterminismTest, AppliesFromTheFirstOperation) {
  const int before = at::get_num_threads();
  omp_set_dynamic(1);
  set_up_determinism(2);
  EXPECT_EQ(at::get_num_threads(), 2);
  EXPECT_EQ(omp_get_dynamic(), 0) << "no fewer threads at the system's whim";
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
  EXPECT_TRUE(at::globalContext().deterministicAlgorithmsWarnOnly());
  EXPECT_FALSE(at::globalContext().deterministicFillUninitializedMemory());
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
  EXPECT_STREQ(std::getenv("CUBLAS_WORKSPACE_CONFIG"), ":4096:8");
  set_up_determinism(before);
}

}  // namespace
}  // namespace gloss
