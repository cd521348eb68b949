#include "common/text/noted_lines.h"

namespace gloss {
namespace {

constexpr std::size_t kLinesNamed = 5;

}  // namespace

void NotedLines::note(std::int64_t line) {
  ++count;
  if (first_lines.size() < kLinesNamed) first_lines.push_back(line);
}

std::string NotedLines::text() const {
  std::string text = "first lines:";
  for (const auto line : first_lines) text += (text.back() == ':' ? " " : ", ") + std::to_string(line);
  return text;
}

}  // namespace gloss
