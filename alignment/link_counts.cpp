#include "alignment/link_counts.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "common/files/atomic_file.h"
#include "common/text/format.h"

namespace gloss {
namespace {

constexpr Id kNoWord = -1;

std::uint64_t pair_key(Id source, Id target) {
  return (static_cast<std::uint64_t>(source + 1) << 32) | static_cast<std::uint32_t>(target + 1);
}

/// The count of a word with a given word.
struct LinkCount {
  Id given, other;
  std::int64_t count;
};

}  // namespace

void LinkCounts::add(const IdPair& line, std::span<const WordLink> links) {
  std::vector<bool> source_linked(line.source.size()), target_linked(line.target.size());
  for (const auto& link : links) {
    const auto source = static_cast<std::size_t>(link.source), target = static_cast<std::size_t>(link.target);
    source_linked[source] = target_linked[target] = true;
    ++counts_[pair_key(line.source[source], line.target[target])];
  }
  for (std::size_t i = 0; i < source_linked.size(); ++i)
    if (!source_linked[i]) ++counts_[pair_key(line.source[i], kNoWord)];
  for (std::size_t i = 0; i < target_linked.size(); ++i)
    if (!target_linked[i]) ++counts_[pair_key(kNoWord, line.target[i])];
}

void LinkCounts::write(const std::filesystem::path& path, const LineIds& sources, const LineIds& targets, Given given,
                       std::size_t best) const {
  std::vector<LinkCount> entries;
  for (const auto& [key, count] : counts_) {
    const auto source = static_cast<Id>(key >> 32) - 1, target = static_cast<Id>(key & 0xffffffff) - 1;
    entries.push_back(given == Given::kSource ? LinkCount{source, target, count} : LinkCount{target, source, count});
  }
  std::ranges::sort(entries, {},
                    [](const LinkCount& entry) { return std::tuple(entry.given, -entry.count, entry.other); });
  const auto& givens = given == Given::kSource ? sources : targets;
  const auto& others = given == Given::kSource ? targets : sources;
  const auto name = [](const LineIds& ids, Id id) { return id == kNoWord ? "NULL" : ids.spelling(id); };
  AtomicFile file(path);
  for (auto begin = entries.begin(); begin != entries.end();) {
    std::int64_t total = 0;
    auto end = begin;
    for (; end != entries.end() && end->given == begin->given; ++end) total += end->count;
    std::string lines;
    std::size_t written = 0;
    for (const auto& [word, other, count] : std::span(begin, end)) {
      if (other != kNoWord && best > 0 && written++ >= best) continue;
      lines += name(others, other) + ' ' + name(givens, word) +
               formatted(" %.7f\n", static_cast<double>(static_cast<float>(count) / static_cast<float>(total)));
    }
    file.write(lines);
    begin = end;
  }
  file.commit();
}

}  // namespace gloss
