#include "app/output/text_layout.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

using Cells = std::vector<std::string>;

/// Minimum number of columns that Python's tabulate leaves around a header.
constexpr std::size_t kHeaderMargin = 2;

Cells cell_lines(std::string_view cell) {
  Cells lines;
  for (auto end = cell.find('\n'); end != cell.npos; end = cell.find('\n')) {
    lines.emplace_back(cell.substr(0, end));
    cell.remove_prefix(end + 1);
  }
  lines.emplace_back(cell);
  return lines;
}

/// Returns the widths of the columns in characters.
std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const auto& header : table.headers) widths.push_back(count_code_points(header) + kHeaderMargin);
  for (const auto& row : table.rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      for (const auto& line : cell_lines(row[column]))
        widths[column] = std::max(widths[column], count_code_points(line));
  return widths;
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const auto blanks = width - count_code_points(text);
  const auto before = to_the_right ? blanks : blanks / 2;
  return std::string(before + 1, ' ') + text + std::string(blanks - before + 1, ' ');
}

struct Rule {
  std::string_view begin, fill, between, end;
};

std::string drawn(const Rule& rule, const std::vector<std::size_t>& widths) {
  std::string line(rule.begin);
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (column > 0) line += rule.between;
    for (std::size_t i = 0; i < widths[column] + 2; ++i) line += rule.fill;
  }
  return line.append(rule.end) + '\n';
}

std::string boxed(const Cells& row, const std::vector<std::size_t>& widths) {
  std::vector<Cells> cells;
  std::size_t height = 0;
  for (const auto& cell : row) {
    cells.push_back(cell_lines(cell));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    text += "│";
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const bool is_there = line < cells[column].size();
      text += padded(is_there ? cells[column][line] : std::string(), widths[column], column == 0) + "│";
    }
    text += '\n';
  }
  return text;
}

std::string latex_text(std::string_view text) {
  static const std::map<char, std::string_view> kEscapes = {{'&', "\\&"},
                                                            {'%', "\\%"},
                                                            {'$', "\\$"},
                                                            {'#', "\\#"},
                                                            {'_', "\\_"},
                                                            {'{', "\\{"},
                                                            {'}', "\\}"},
                                                            {'^', "\\^{}"},
                                                            {'~', "\\textasciitilde{}"},
                                                            {'\\', "\\textbackslash{}"},
                                                            {'<', "\\ensuremath{<}"},
                                                            {'>', "\\ensuremath{>}"}};
  std::string escaped;
  for (const char c : text) {
    const auto escape = kEscapes.find(c);
    if (escape == kEscapes.end()) {
      escaped += c;
    } else {
      escaped += escape->second;
    }
  }
  return escaped;
}

std::string latex_row(const Cells& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (column > 0) line += '&';
    line += latex_text(padded(row[column], widths[column], column == 0));
  }
  return line + "\\\\\n";
}

}  // namespace

std::string fancy_grid(const TextTable& table) {
  const auto widths = column_widths(table);
  auto text = drawn({"╒", "═", "╤", "╕"}, widths) + boxed(table.headers, widths);
  const Rule below_header{"╞", "═", "╪", "╡"}, between_rows{"├", "─", "┼", "┤"};
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    text += drawn(row == 0 ? below_header : between_rows, widths) + boxed(table.rows[row], widths);
  return text + drawn({"╘", "═", "╧", "╛"}, widths);
}

std::string latex_booktabs(const TextTable& table) {
  const auto widths = column_widths(table);
  auto text = "\\begin{tabular}{r" + std::string(table.headers.size() - 1, 'c') + "}\n\\toprule\n" +
              latex_row(table.headers, widths) + "\\midrule\n";
  for (const auto& row : table.rows) text += latex_row(row, widths);
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string labeled_line(std::string label, const std::string& text, std::size_t width) {
  label.resize(std::max(label.size(), width), ' ');
  return label + printable(text, std::string::npos) + '\n';
}

}  // namespace gloss
