#include "documents/element_placement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

constexpr auto kNone = InlineElement::kNone;
constexpr std::size_t kMaxNesting = 64;             ///< deeper elements are placed in proportion
constexpr std::size_t kMaxComparisons = 5'000'000;  ///< pairs times words; with more, likewise
constexpr double kSignWeight = 0.25;                ///< of a punctuation mark, whose links are often wrong

using Kind = InlineElement::Kind;

/// Bytes of the target at which an element begins and ends; equal for marks and words.
struct Place {
  std::size_t begin = 0, end = 0;
};

/// A word or sign of the target.
struct TargetAtom {
  TextSpan span;
  std::optional<TextSpan> source;  ///< what it is linked to
  double weight = 0;
};

/// Returns the atoms, with those of each range of `whole` as one.
std::vector<TextSpan> joined(const std::vector<TextSpan>& atoms, std::span<const TextSpan> whole) {
  std::vector<TextSpan> result;
  for (const auto& atom : atoms) {
    while (!whole.empty() && whole.front().end <= atom.begin) whole = whole.subspan(1);
    const bool is_inside = !whole.empty() && whole.front().begin < atom.end;
    if (is_inside && !result.empty() && result.back().end > whole.front().begin)
      result.back().end = atom.end;
    else
      result.push_back(atom);
  }
  return result;
}

class Placement {
 public:
  Placement(const InlineText& source, std::string_view target, std::span<const AlignedSpan> links,
            PlacementOptions options, std::span<const TextSpan> whole)
      : source_(source), target_(target), source_atoms_(text_atoms(source.text)), smooth_(options.smooth) {
    find_parents();
    link_atoms(links, whole);
  }

  bool is_too_large() const {
    return depth_ > kMaxNesting || source_.elements.size() * atoms_.size() > kMaxComparisons;
  }

  /// Returns the elements in the order of the target; nothing if those `in_order` cannot keep it.
  std::optional<std::vector<InlineElement>> elements() {
    places_.resize(source_.elements.size());
    place_children(kNone, {0, target_.size()});
    move_into_order();
    std::vector<InlineElement> result;
    write_children(kNone, result);
    return std::ranges::is_sorted(written_in_order_) ? std::optional(std::move(result)) : std::nullopt;
  }

 private:
  void find_parents() {
    const auto count = source_.elements.size();
    parents_.assign(count, kNone);
    children_.resize(count + 1);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& element = source_.elements[i];
      if (element.kind == Kind::kClosing) {
        open.pop_back();
        continue;
      }
      parents_[i] = open.empty() ? kNone : open.back();
      children(parents_[i]).push_back(i);
      if (element.kind == Kind::kOpening) open.push_back(i);
      depth_ = std::max(depth_, open.size());
    }
  }
  std::vector<std::size_t>& children(std::size_t parent) { return children_[parent == kNone ? 0 : parent + 1]; }

  void link_atoms(std::span<const AlignedSpan> links, std::span<const TextSpan> whole) {
    auto link = links.begin();
    for (const auto& span : joined(text_atoms(target_), whole)) {
      TargetAtom atom{span, {}, 0};
      while (link != links.end() && link->target.end <= span.begin) ++link;
      for (auto next = link; next != links.end() && next->target.begin < span.end; ++next)
        if (next->target.end > span.begin && next->weight > atom.weight)
          std::tie(atom.source, atom.weight) = std::tuple(next->source, next->weight);
      if (!smooth_ && atom.source) atom.weight = 1;
      if (smooth_ && first_kind(span.of(target_)) == CharacterKind::kOther) atom.weight *= kSignWeight;
      atoms_.push_back(atom);
    }
  }

  TextSpan source_range(std::size_t pair) const {
    const auto& elements = source_.elements;
    return {elements[pair].offset, elements[elements[pair].partner].offset};
  }
  /// Returns how much an atom belongs to a pair: its weight, or minus that.
  double share_of(const TargetAtom& atom, TextSpan range) const {
    if (!atom.source) return 0;
    return atom.source->begin < range.end && atom.source->end > range.begin ? atom.weight : -atom.weight;
  }

  void place_children(std::size_t parent, TextSpan range) {
    std::vector<std::size_t> pairs, others;
    for (const auto child : children(parent))
      (source_.elements[child].kind == Kind::kOpening ? pairs : others).push_back(child);
    // Long pairs first: the place of a short one is easier to move.
    std::ranges::stable_sort(pairs, std::greater{}, [&](auto pair) { return source_range(pair).size(); });
    std::vector<TextSpan> taken;
    for (const auto pair : pairs) {
      const auto place = place_of_pair(pair, parent, range, taken);
      if (place.empty()) {
        others.push_back(pair);
        continue;
      }
      places_[pair] = {place.begin, place.end};
      taken.push_back(place);
      place_children(pair, place);
    }
    for (const auto other : others) {
      const auto offset = outside(taken, place_of_point(source_.elements[other].offset, range));
      places_[other] = {offset, offset};
      if (source_.elements[other].kind == Kind::kOpening) place_children(other, {offset, offset});
    }
  }

  /// Returns the target words of a pair; an empty range if there are none.
  TextSpan place_of_pair(std::size_t pair, std::size_t parent, TextSpan range, std::span<const TextSpan> taken) const {
    const auto words = source_range(pair);
    const auto around = parent == kNone ? TextSpan{0, source_.text.size()} : source_range(parent);
    const bool at_begin = is_blank_source({around.begin, words.begin});
    const bool at_end = is_blank_source({words.end, around.end});
    if (taken.empty() && at_begin && at_end && !is_blank_source(words)) return range;
    const auto best = smooth_ ? best_range(words, range, taken) : whole_range(words, range, taken);
    return best.empty() && smooth_ && !is_blank_source(words) ? nearest_atom(words, range, taken) : best;
  }

  /// Returns the free atom at the place of a pair whose words have no counterpart; some markup has no empty pairs.
  TextSpan nearest_atom(TextSpan words, TextSpan range, std::span<const TextSpan> taken) const {
    const auto place = place_of_point(words.begin, range);
    TextSpan nearest;
    for (const auto& atom : atoms_)
      if (first_kind(atom.span.of(target_)) != CharacterKind::kOther && is_free(atom, range, taken) &&
          (nearest.empty() || atom.span.begin <= place))
        nearest = atom.span;
    return nearest;
  }

  bool is_free(const TargetAtom& atom, TextSpan range, std::span<const TextSpan> taken) const {
    return atom.span.begin >= range.begin && atom.span.end <= range.end &&
           std::ranges::none_of(taken, [&](auto t) { return atom.span.begin < t.end && atom.span.end > t.begin; });
  }

  /// Returns the range of free atoms with the largest sum; the shortest of these.
  TextSpan best_range(TextSpan words, TextSpan range, std::span<const TextSpan> taken) const {
    double sum = 0, best_sum = 0;
    TextSpan current, best;
    for (const auto& atom : atoms_) {
      if (!is_free(atom, range, taken)) {
        sum = 0;
        continue;
      }
      const auto share = share_of(atom, words);
      if (sum <= 0) {
        sum = 0;
        current.begin = atom.span.begin;
      }
      sum += share;
      if (sum > best_sum) {
        best_sum = sum;
        best = {current.begin, atom.span.end};
      }
    }
    return best;
  }

  /// Returns the range from the first to the last atom that is linked to the words.
  TextSpan whole_range(TextSpan words, TextSpan range, std::span<const TextSpan> taken) const {
    TextSpan whole;
    for (const auto& atom : atoms_) {
      if (share_of(atom, words) <= 0) continue;
      if (!is_free(atom, range, taken)) continue;
      whole = {whole.empty() ? atom.span.begin : whole.begin, atom.span.end};
    }
    if (std::ranges::any_of(taken, [&](auto t) { return t.begin < whole.end && t.end > whole.begin; })) return {};
    return whole;
  }

  bool is_blank_source(TextSpan range) const {
    const auto first = std::ranges::lower_bound(source_atoms_, range.begin, {}, &TextSpan::begin);
    return first == source_atoms_.end() || first->begin >= range.end;
  }

  /// Returns the strongest free atom of the target that is linked to a source atom.
  const TargetAtom* linked_to(TextSpan source_atom, TextSpan range) const {
    const TargetAtom* best = nullptr;
    for (const auto& atom : atoms_)
      if (atom.source && atom.source->begin < source_atom.end && atom.source->end > source_atom.begin &&
          is_free(atom, range, {}) && (!best || atom.weight > best->weight))
        best = &atom;
    return best;
  }

  /// Returns the place of an element without width at a byte of the source.
  std::size_t place_of_point(std::size_t offset, TextSpan range) const {
    constexpr std::size_t kNeighbors = 8;
    const auto next = static_cast<std::size_t>(std::ranges::lower_bound(source_atoms_, offset, {}, &TextSpan::begin) -
                                               source_atoms_.begin());
    if (next == 0) return range.begin;
    if (next == source_atoms_.size() && offset >= source_atoms_.back().end) return range.end;
    for (std::size_t distance = 0; distance < kNeighbors; ++distance) {
      if (next > distance)
        if (const auto* before = linked_to(source_atoms_[next - 1 - distance], range)) return before->span.end;
      if (next + distance < source_atoms_.size())
        if (const auto* after = linked_to(source_atoms_[next + distance], range)) return after->span.begin;
    }
    return std::clamp(in_proportion(offset), range.begin, range.end);
  }

  /// Returns the edge of an atom nearest to the place in proportion.
  std::size_t in_proportion(std::size_t offset) const {
    const auto wanted = static_cast<double>(offset) /
                        static_cast<double>(std::max<std::size_t>(1, source_.text.size())) *
                        static_cast<double>(target_.size());
    std::size_t best = 0;
    for (const auto& atom : atoms_)
      if (std::abs(static_cast<double>(atom.span.end) - wanted) < std::abs(static_cast<double>(best) - wanted))
        best = atom.span.end;
    return best;
  }

  /// Moves a place within one of the ranges to its nearer edge.
  static std::size_t outside(std::span<const TextSpan> taken, std::size_t offset) {
    for (const auto& span : taken)
      if (offset > span.begin && offset < span.end)
        return offset - span.begin < span.end - offset ? span.begin : span.end;
    return offset;
  }

  /// Moves elements `in_order` to the right until they ascend, but neither out of the pair that they are in nor into
  /// another one.
  void move_into_order() {
    std::size_t last = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!source_.elements[i].in_order) continue;
      auto offset = std::max(places_[i].begin, last);
      for (const auto sibling : children(parents_[i]))
        if (offset > places_[sibling].begin && offset < places_[sibling].end) offset = places_[sibling].end;
      offset = std::min(offset, parents_[i] == kNone ? target_.size() : places_[parents_[i]].end);
      places_[i] = {offset, offset};
      last = offset;
    }
  }

  void write_children(std::size_t parent, std::vector<InlineElement>& result) {
    auto& ordered = children(parent);
    std::ranges::stable_sort(ordered, {}, [&](auto i) { return std::pair(places_[i].begin, places_[i].end); });
    for (const auto i : ordered) {
      const auto index = result.size();
      auto element = source_.elements[i];
      element.offset = places_[i].begin;
      result.push_back(element);
      if (element.in_order) written_in_order_.push_back(i);
      if (element.kind != Kind::kOpening) continue;
      write_children(i, result);
      auto closing = source_.elements[element.partner];
      closing.offset = places_[i].end;
      closing.partner = index;
      result[index].partner = result.size();
      result.push_back(closing);
    }
  }

  const InlineText& source_;
  std::string_view target_;
  std::vector<TextSpan> source_atoms_;
  bool smooth_;
  std::vector<TargetAtom> atoms_;
  std::vector<std::size_t> parents_;                ///< the pair that an element is in
  std::vector<std::vector<std::size_t>> children_;  ///< of the whole text, and of each element
  std::vector<Place> places_;
  std::size_t depth_ = 0;
  std::vector<std::size_t> written_in_order_;  ///< elements `in_order`, in the order of the target
};

}  // namespace

std::vector<TextSpan> text_atoms(std::string_view text) {
  std::vector<TextSpan> atoms;
  auto last = CharacterKind::kUnspaced;  // of the atom that a character may continue; kUnspaced: there is none
  std::size_t offset = 0;
  for_each_character(text, [&](auto value, auto spelling) {
    const auto character = value.value_or(U'\ufffd');
    const auto kind = kind_of(character);
    if (is_white_space(character)) {
      last = CharacterKind::kUnspaced;
    } else if (last == kind && last == CharacterKind::kWord) {
      atoms.back().end = offset + spelling.size();
    } else {
      atoms.push_back({offset, offset + spelling.size()});
      last = kind;
    }
    offset += spelling.size();
  });
  return atoms;
}

InlineText place_in_proportion(const InlineText& source, std::string target) {
  const auto atoms = text_atoms(target);
  InlineText result{std::move(target), source.elements};
  for (auto& element : result.elements) {
    const auto share =
        static_cast<double>(element.offset) / static_cast<double>(std::max<std::size_t>(1, source.text.size()));
    const auto wanted = static_cast<std::size_t>(share * static_cast<double>(result.text.size()));
    const auto next = std::ranges::lower_bound(atoms, wanted, {}, &TextSpan::end);
    element.offset = element.offset == 0 ? 0 : next == atoms.end() ? result.text.size() : next->end;
  }
  return result;
}

InlineText place_elements(const InlineText& source, std::string target, std::span<const AlignedSpan> links,
                          PlacementOptions options, std::span<const TextSpan> whole) {
  if (source.elements.empty()) return {std::move(target), {}};
  Placement placement(source, target, links, options, whole);
  auto elements = placement.is_too_large() ? std::nullopt : placement.elements();
  if (!elements) return place_in_proportion(source, std::move(target));
  return {std::move(target), std::move(*elements)};
}

}  // namespace gloss
