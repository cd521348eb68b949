#pragma once

#include <cstdint>

namespace gloss {

enum class PairVerdict { kUsed, kInvalid, kEmpty, kTooLong };

/// A line of a text, as far as it decides on its pair.
struct JudgedLine {
  bool cut = false;         ///< longer than LineReader::kMaxLineBytes
  bool is_text = true;      ///< UTF-8 without NUL; known where it is not cut
  std::int64_t pieces = 0;  ///< eos left out; known where it is text and not cut
};

/// Returns whether training uses a pair, or why it leaves it out. `max_length` counts pieces and eos of either side; 0:
/// no limit.
PairVerdict judge_pair(const JudgedLine& source, const JudgedLine& target, std::int64_t max_length);

}  // namespace gloss
