#pragma once

#include <cstdint>
#include <functional>

namespace gloss {

/// Calls work(first, last) for ranges of `rows` rows, one per thread. If has_rows_for_threads is false there is one
/// range, and the threads share each of its products instead.
void over_rows(std::int64_t rows, const std::function<void(std::int64_t first, std::int64_t last)>& work);
bool has_rows_for_threads(std::int64_t rows);

}  // namespace gloss
