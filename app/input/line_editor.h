#pragma once

#include <memory>
#include <optional>
#include <string>

namespace gloss {

/// Reads lines that a person types at a terminal, with a prompt, the usual keys of line editing and a history, which
/// lives as long as the editor and is kept in no file.
class LineEditor {
 public:
  virtual ~LineEditor() = default;
  /// Waits for a line and returns it without its end, as UTF-8. Nothing after Ctrl-D, at the end of the terminal, and
  /// where a stop was requested (common/system/signals.h).
  virtual std::optional<std::string> read_line() = 0;
};

/// Whether gloss was built with a library that edits lines.
bool has_line_editing();

/// An editor of stdin and stdout. Null where gloss was built without the library, where one of the two is no terminal,
/// and where the terminal cannot move its cursor (TERM=dumb).
std::unique_ptr<LineEditor> make_line_editor();

}  // namespace gloss
