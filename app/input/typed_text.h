#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// A control sequence of a terminal (ECMA-48) at the beginning of a text, such as "\x1b[A" of the arrow key.
struct ControlSequence {
  std::size_t bytes = 0;  ///< 0: the text does not begin with ESC
  bool complete = false;  ///< false if it may continue after the end of the text
};
ControlSequence control_sequence(std::string_view text);

/// Returns the text without control sequences and control characters; a tab becomes a space.
std::string without_controls(std::string_view typed);

}  // namespace gloss
