#include "alignment/symmetrization.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>

namespace gloss {
namespace {

/// Returns whether one of the links is `link` or a neighbor of it, also diagonally.
bool touches(const std::set<WordLink>& links, const WordLink& link) {
  for (auto source = link.source - 1; source <= link.source + 1; ++source)
    for (auto target = link.target - 1; target <= link.target + 1; ++target)
      if (links.contains({source, target})) return true;
  return false;
}

}  // namespace

std::vector<WordLink> symmetrized(const DirectedLinks& links, Symmetrization kind) {
  std::vector<WordLink> forward, reverse, both, either;
  for (std::int64_t target = 0; target < std::ssize(links.source_of_target); ++target)
    if (const auto source = links.source_of_target[static_cast<std::size_t>(target)]; source >= 0)
      forward.push_back({source, target});
  for (std::int64_t source = 0; source < std::ssize(links.target_of_source); ++source)
    if (const auto target = links.target_of_source[static_cast<std::size_t>(source)]; target >= 0)
      reverse.push_back({source, target});
  std::ranges::sort(forward);
  std::ranges::set_intersection(forward, reverse, std::back_inserter(both));
  std::ranges::set_union(forward, reverse, std::back_inserter(either));
  if (kind == Symmetrization::kForward) return forward;
  if (kind == Symmetrization::kReverse) return reverse;
  if (kind == Symmetrization::kIntersect) return both;
  if (kind == Symmetrization::kUnion) return either;

  std::set<WordLink> grown;
  std::vector<bool> source_linked(links.target_of_source.size()), target_linked(links.source_of_target.size());
  /// Adds those links at most `max_linked` of whose words are linked. Returns whether there were any.
  const auto add_some = [&](const std::vector<WordLink>& candidates, int max_linked, bool must_touch) {
    const auto before = grown.size();
    for (const auto& link : candidates) {
      const auto source = static_cast<std::size_t>(link.source), target = static_cast<std::size_t>(link.target);
      if (int{source_linked[source]} + int{target_linked[target]} > max_linked) continue;
      if (must_touch && !touches(grown, link)) continue;
      grown.insert(link);
      source_linked[source] = target_linked[target] = true;
    }
    return grown.size() > before;
  };
  add_some(both, 2, false);
  while (add_some(either, 1, true)) continue;
  if (kind != Symmetrization::kGrowDiag)
    for (const auto* direction : {&forward, &reverse})
      add_some(*direction, kind == Symmetrization::kGrowDiagFinal ? 1 : 0, false);
  return {grown.begin(), grown.end()};
}

}  // namespace gloss
