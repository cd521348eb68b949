#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/text_span.h"

namespace gloss {

inline constexpr std::size_t kNoMarkdown = std::string_view::npos;

// Each of these functions reads a construct that begins at `at` and returns the offset after it, or kNoMarkdown.

/// Reads a label with its brackets: [label].
std::size_t markdown_label_end(std::string_view text, std::size_t at);
/// Reads the destination of a link: <a b> or a(b)c.
std::size_t markdown_destination_end(std::string_view text, std::size_t at);
/// Reads the title of a link, with its quotes or parentheses.
std::size_t markdown_title_end(std::string_view text, std::size_t at);
/// Reads an HTML tag by the grammar of CommonMark.
std::size_t markdown_tag_end(std::string_view text, std::size_t at);

/// Reads a definition of a link with the line end after it. Each line of the text has a line end.
std::size_t link_definition_end(std::string_view text, std::size_t at);

/// Returns the text that ends an HTML block, if one begins with this line in lower case; empty: a blank line ends it.
std::optional<std::string> html_block_end(std::string_view line, bool in_paragraph);
/// Returns the parts of a row of a table between the bars, without white space at their ends.
std::vector<TextSpan> table_cells(std::string_view bytes, TextSpan line);
/// Returns whether a line is the second of a table, such as | --- | :-: |
bool is_table_delimiter_row(std::string_view bytes, TextSpan line);
/// Returns the offset after spaces, tabs and at most one line end.
std::size_t after_markdown_space(std::string_view text, std::size_t at);
/// Returns a label without its brackets as it is compared: lower case, with single spaces.
std::string markdown_label(std::string_view label);
bool is_blank_text(std::string_view text);
bool is_ascii_punctuation(char c);

}  // namespace gloss
