#pragma once

#include <cstdint>
#include <functional>

namespace gloss {

/// Calls work(first, last) for parts of `rows` rows, a thread each. With few rows there is one part, and the threads
/// are left to share each of its products.
void over_rows(std::int64_t rows, const std::function<void(std::int64_t first, std::int64_t last)>& work);
bool has_rows_for_threads(std::int64_t rows);

}  // namespace gloss
