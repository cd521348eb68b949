#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gloss {

/// A table of texts. '\n' separates the lines of a cell. The first column is aligned to the right, the others are
/// centered.
struct TextTable {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;
};

/// Draws the table with double and single lines and a blank at each side of a cell, as the Python package tabulate 0.10
/// draws "fancy_grid".
std::string fancy_grid(const TextTable& table);
/// Writes the table for LaTeX's booktabs, as tabulate's "latex_booktabs". Cells must have one line.
std::string latex_booktabs(const TextTable& table);

/// Returns `label`, filled with spaces up to `width` bytes, then `text` and a line feed.
std::string labeled_line(std::string label, const std::string& text, std::size_t width);

}  // namespace gloss
