#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// A control sequence of a terminal (ECMA-48) at the beginning of a text, such as "\x1b[A" of the arrow key.
struct ControlSequence {
  std::size_t bytes = 0;  ///< 0: the text does not begin with ESC
  bool complete = false;  ///< false where it may go on after the end of the text
};
ControlSequence control_sequence(std::string_view text);

/// The text that a person meant: control sequences and control characters are left out, a tab becomes a space.
std::string without_controls(std::string_view typed);

}  // namespace gloss
