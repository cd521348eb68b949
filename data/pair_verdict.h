#pragma once

#include <cstdint>

#include "common/text/line_splitter.h"

namespace gloss {

/// The decision whether training uses a pair, with the reason if it does not.
enum class PairVerdict { kUsable, kTooLong, kInvalid, kHeldOut, kEmpty };

/// The properties of a line that decide about its pair.
struct JudgedLine {
  bool cut = false;         ///< longer than LineReader::kMaxLineBytes
  bool is_text = true;      ///< UTF-8 without NUL, as far as the line was read
  std::int64_t pieces = 0;  ///< without eos; ignored for a line that is cut or invalid

  /// Returns the properties that need no tokenizer. A line with anything but ASCII white space counts as one piece.
  static JudgedLine of(const TextLine& line);
};

/// Returns the verdict as far as the bytes of the lines decide: kTooLong, kInvalid, or kUsable.
PairVerdict judge_bytes(const JudgedLine& source, const JudgedLine& target);

/// Returns the verdict on a pair that is not held out. `max_length` limits pieces and eos of either side; 0: no limit.
PairVerdict judge_pair(const JudgedLine& source, const JudgedLine& target, std::int64_t max_length);

/// Returns whether a text is likely to be in another encoding: more than 1 % of its lines or pairs are invalid.
bool has_other_encoding(std::int64_t invalid, std::int64_t lines);

}  // namespace gloss
