#include "model/inference/row_parts.h"

#include <ATen/Parallel.h>

namespace gloss {
namespace {

constexpr std::int64_t kRowsWorthAThread = 8;

}  // namespace

bool has_rows_for_threads(std::int64_t rows) { return rows >= kRowsWorthAThread * at::get_num_threads(); }

void over_rows(std::int64_t rows, const std::function<void(std::int64_t first, std::int64_t last)>& work) {
  if (!has_rows_for_threads(rows)) return work(0, rows);
  const std::int64_t threads = at::get_num_threads();
  at::parallel_for(0, rows, (rows + threads - 1) / threads, work);
}

}  // namespace gloss
