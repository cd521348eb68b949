#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include <ATen/Parallel.h>
#include <ATen/ops/linear.h>
#include <gtest/gtest.h>

#include "tests/support/formula_tensor.h"

namespace gloss {

/// Calls check(product, wanted) for matrix products of sizes at which, depending on the processor, MKL rounds
/// differently where it may use four threads, even inside a parallel region. `wanted` is the result on one thread.
/// Meanwhile LibTorch's number of threads is four.
template <typename Check>
void for_each_product(const Check& check) {
  const int before = at::get_num_threads();
  for (const std::int64_t rows : {1, 3, 40, 60})
    for (const std::int64_t terms : {64, 512, 1024, 2048})
      for (const std::int64_t columns : {20, 512, 1024}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(terms) + " x " + std::to_string(columns));
        const auto a = formula_tensor({rows, terms}, at::kCPU, 1), b = formula_tensor({columns, terms}, at::kCPU, 2);
        const auto product = [&] { return at::linear(a, b); };
        at::Tensor wanted;
        std::thread([&] {
          at::set_num_threads(1);
          wanted = product();
        }).join();
        at::set_num_threads(4);  // for new threads, too
        check(product, wanted);
      }
  at::set_num_threads(before);
}

}  // namespace gloss
