#pragma once

#include <string>
#include <vector>

namespace gloss {

/// Cells of several lines have '\n' between them. The first column stands to the right, the others in the middle.
struct TextTable {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;
};

/// In double and single lines, a blank at each side of a cell; as the Python package tabulate 0.10 draws "fancy_grid".
std::string fancy_grid(const TextTable& table);
/// For LaTeX's booktabs; as tabulate's "latex_booktabs". Cells of one line only.
std::string latex_booktabs(const TextTable& table);

}  // namespace gloss
