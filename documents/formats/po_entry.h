#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/text/text_span.h"

namespace gloss {

/// An entry of a PO file: comments, a message and its translations. It is read line by line.
class PoEntry {
 public:
  std::string bytes;
  std::int64_t line = 0;                       ///< number of its first line
  std::optional<std::string> message, plural;  ///< of msgid and msgid_plural: the bytes between quotation marks
  bool has_context = false;
  std::string translation;            ///< of all msgstr together, likewise
  TextSpan translations;              ///< from the first msgstr to the last quotation mark
  std::optional<std::size_t> flags;   ///< the place after "#,"
  std::optional<std::size_t> before;  ///< the place for a new line of flags
  bool is_fuzzy = false, is_obsolete = false;

  /// Returns whether a line belongs to the next entry.
  bool ends_before(std::string_view next_line) const;
  /// Adds a line with its end. Returns what was wanted instead, or nothing if it is right.
  std::optional<std::string> add(std::string_view next_line);

  bool is_complete() const { return !translations.empty(); }
  bool is_header() const { return message && message->empty() && !has_context; }
  /// Returns the line end of its first line.
  std::string_view line_end() const;

 private:
  void add_comment(std::string_view comment, std::size_t begin);
  std::optional<std::string> add_keyword(std::string_view content, std::size_t begin);
  bool add_strings(std::string_view content, std::size_t begin);

  std::string* strings_ = nullptr;  ///< takes strings; null: they are ignored
  bool has_keyword_ = false, after_blank_ = false;
  std::string ignored_;  ///< of msgctxt and domain
};

}  // namespace gloss
