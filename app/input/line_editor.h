#pragma once

#include <memory>
#include <optional>
#include <string>

namespace gloss {

/// Reads lines that a person types at a terminal, with a prompt, the usual keys of line editing and a history. The
/// history lives as long as the editor and is not saved.
class LineEditor {
 public:
  virtual ~LineEditor() = default;
  /// Waits for a line and returns it without its end, as UTF-8. Returns no line after Ctrl-D, at the end of the
  /// terminal, and if a stop was requested (common/system/signals.h).
  virtual std::optional<std::string> read_line() = 0;
};

/// Returns whether gloss was built with a library that edits lines.
bool has_line_editing();

/// Creates an editor of stdin and stdout. Returns null if gloss was built without the library, if one of the two is no
/// terminal, or if the terminal cannot move its cursor (TERM=dumb).
std::unique_ptr<LineEditor> make_line_editor();

}  // namespace gloss
