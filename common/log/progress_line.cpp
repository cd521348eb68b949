#include "common/log/progress_line.h"

#include <algorithm>
#include <vector>

#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/terminal_text.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxBar = 30, kMinBar = 6;
constexpr std::size_t kAroundBar = 3;  // brackets and a space
constexpr std::size_t kGap = 2;        // between parts

std::string bar_text(double share, std::size_t length) {
  const auto done = static_cast<std::size_t>(share * static_cast<double>(length));
  return '[' + std::string(done, '#') + std::string(length - done, '.') + "] ";
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  const auto minutes = whole / 60, hours = minutes / 60, days = hours / 24;
  if (minutes == 0) return formatted("%lld s", whole);
  if (hours == 0) return formatted("%lld min", minutes);
  if (days == 0) return formatted("%lld h %02lld min", hours, minutes % 60);
  return formatted("%lld d %lld h", days, hours % 24);
}

std::string fitting_line(std::vector<LinePart> parts, std::optional<std::size_t> columns) {
  for (;;) {
    std::string line;
    for (const auto& part : parts) line += (line.empty() ? "" : std::string(kGap, ' ')) + part.text;
    const auto dispensable = std::ranges::max_element(parts, {}, &LinePart::rank);
    if (!columns || columns_of(line) <= *columns || dispensable == parts.end() || dispensable->rank == 0) return line;
    parts.erase(dispensable);
  }
}

std::string progress_line(double share, std::span<const std::string> parts, std::size_t columns) {
  share = std::clamp(share, 0.0, 1.0);
  auto text = formatted("%3lld %%", static_cast<long long>(share * 100));
  auto taken = columns_of(text);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto wanted = kGap + columns_of(parts[i]);
    if (i > 0 && taken + wanted + kMinBar + kAroundBar > columns) continue;
    text += std::string(kGap, ' ') + parts[i];
    taken += wanted;
  }
  if (taken + kMinBar + kAroundBar > columns) return text;
  return bar_text(share, std::min(kMaxBar, columns - taken - kAroundBar)) + text;
}

void WorkProgress::show(double done) const {
  const auto columns = progress_columns();
  if (!columns || whole_ <= 0) return;
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  log_progress(work_progress_text(done / whole_, seconds, what_, *columns - 1));
}

std::string work_progress_text(double share, double seconds, const std::string& what, std::size_t columns) {
  std::vector<std::string> parts;
  if (share > 0) parts.push_back(duration_text(seconds * (1 - std::min(share, 1.0)) / share) + " left");
  parts.push_back(what);
  return progress_line(share, parts, columns);
}

}  // namespace gloss
