#include "explain/map_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "explain/markup.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxWithNumbers = 25;  // rows and columns of a map with numbers in its cells
constexpr double kFontSize = 13;             // of labels, in pixels
constexpr double kCharacterWidth = 0.62;     // of the font size

/// Yellow-green-blue (ColorBrewer YlGnBu), as in web/color.js: lightness alone shows the order.
constexpr std::array<std::array<double, 3>, 8> kColors{{{252, 252, 247},
                                                        {227, 242, 196},
                                                        {168, 220, 183},
                                                        {98, 191, 192},
                                                        {50, 153, 193},
                                                        {35, 104, 171},
                                                        {34, 60, 146},
                                                        {12, 30, 92}}};

std::string color_of(double weight) {
  const auto position = std::clamp(weight, 0.0, 1.0) * static_cast<double>(kColors.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(position), kColors.size() - 2);
  std::array<int, 3> color{};
  for (std::size_t c = 0; c < color.size(); ++c)
    color[c] = static_cast<int>(std::lround(kColors[left][c] + (position - static_cast<double>(left)) *
                                                                   (kColors[left + 1][c] - kColors[left][c])));
  return formatted("#%02x%02x%02x", color[0], color[1], color[2]);
}

struct AttentionMap {
  std::vector<std::string> rows, columns;
  std::vector<double> weights;  ///< [rows, columns]
};

std::vector<std::string> pieces_of(const Json& side) {
  std::vector<std::string> pieces;
  for (const auto& piece : side.at("pieces")) pieces.push_back(piece.at("piece").get<std::string>());
  return pieces;
}

/// Returns the map of a sublayer with the mean of its heads, or of one head.
AttentionMap attention_map(const Json& item, const Json& map, std::optional<std::size_t> head) {
  const auto source = pieces_of(item.at("source")), target = pieces_of(item.at("target"));
  auto inputs = target;
  inputs.insert(inputs.begin(), "<s>");
  inputs.resize(target.size());
  const bool cross = map.at("kind") == "cross", encoder = map.at("side") == "encoder";
  AttentionMap result{cross ? target : encoder ? source : inputs, cross || encoder ? source : inputs, {}};
  const auto& values = map.at("weights").at("values");
  const auto heads = map.at("weights").at("shape").at(0).get<std::size_t>();
  const auto cells = result.rows.size() * result.columns.size();
  for (std::size_t cell = 0; cell < cells; ++cell) {
    double sum = 0;
    for (std::size_t h = 0; h < heads; ++h)
      if (!head || *head == h) sum += values.at(h * cells + cell).get<double>();
    result.weights.push_back(head ? sum : sum / static_cast<double>(heads));
  }
  return result;
}

AttentionMap find_map(const Json& item, const std::string& part) {
  std::string known;
  for (const auto& map : item.at("maps")) {
    const auto name = map.at("part").get<std::string>();
    if (part == name) return attention_map(item, map, std::nullopt);
    const auto heads = map.at("weights").at("shape").at(0).get<std::size_t>();
    for (std::size_t head = 0; head < heads; ++head)
      if (part == name + "." + std::to_string(head)) return attention_map(item, map, head);
    known += (known.empty() ? "" : ", ") + name;
  }
  throw UsageError(
      {Key{"map"}, ": wanted one of " + known + ", or a head of it as decoder.0.cross.0; got " + printable(part)});
}

/// Returns the width of the longest label in pixels. A character counts as one, however many bytes it has.
double width_of(const std::vector<std::string>& labels) {
  std::ptrdiff_t longest = 1;
  for (const auto& label : labels)
    longest = std::max(longest, std::ranges::count_if(label, [](char c) { return (c & 0xc0) != 0x80; }));
  return static_cast<double>(longest) * kFontSize * kCharacterWidth;
}

std::string text_at(double x, double y, const char* attributes, std::string_view content) {
  return formatted("<text x=\"%.2f\" y=\"%.2f\" %s>", x, y, attributes) + markup_escaped(content) + "</text>\n";
}

}  // namespace

std::string map_picture(const Json& item, const std::string& part) {
  const auto map = find_map(item, part);
  const auto rows = map.rows.size(), columns = map.columns.size();
  const bool numbers = std::max(rows, columns) <= kMaxWithNumbers;
  const double cell = numbers ? 34 : 16, left = width_of(map.rows) + 40, top = width_of(map.columns) + 60;
  const double width = left + cell * static_cast<double>(columns) + 20;
  const double height = top + cell * static_cast<double>(rows) + 20;
  auto svg = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.2f\" height=\"%.2f\" viewBox=\"0 0 %.2f %.2f\" "
      "font-family=\"sans-serif\" font-size=\"%.2f\">\n",
      width, height, width, height, kFontSize);
  svg += "<title>" + markup_escaped(part) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  svg += text_at(8, 20, "font-weight=\"bold\"", part);
  svg += text_at(8, 40, "fill=\"#555555\"", "rows: query, columns: key");
  for (std::size_t i = 0; i < rows; ++i) {
    const auto y = top + cell * static_cast<double>(i);
    svg += text_at(left - 6, y + cell / 2 + 4, "text-anchor=\"end\"", map.rows[i]);
    for (std::size_t j = 0; j < columns; ++j) {
      const auto x = left + cell * static_cast<double>(j);
      const auto weight = map.weights[i * columns + j];
      svg += formatted("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y, cell - 1,
                       cell - 1, color_of(weight).c_str());
      if (numbers && weight >= 0.005)
        svg += text_at(x + cell / 2, y + cell / 2 + 4,
                       weight > 0.5 ? "text-anchor=\"middle\" font-size=\"11\" fill=\"#ffffff\""
                                    : "text-anchor=\"middle\" font-size=\"11\" fill=\"#101418\"",
                       formatted("%.2f", weight));
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    const auto x = left + cell * (static_cast<double>(j) + 0.5) + 4;
    svg += formatted("<text transform=\"translate(%.2f %.2f) rotate(-90)\">", x, top - 8);
    svg += markup_escaped(map.columns[j]) + "</text>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace gloss
