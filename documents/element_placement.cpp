#include "documents/element_placement.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxNesting = 64;             ///< with deeper elements, all are placed in proportion
constexpr std::size_t kMaxComparisons = 5'000'000;  ///< elements times words; with more, likewise
constexpr double kSignWeight = 0.25;                ///< of a punctuation mark, whose links are often wrong

/// A word or sign of the target.
struct TargetAtom {
  TextSpan span;
  std::optional<TextSpan> source;  ///< what it is linked to
  double weight = 0;
};

/// Returns the atoms of a text, with those of each range of `whole` as one, and those of words with hyphens: "T-Shirt",
/// "l’eau". Emphasis of Markdown must not begin or end beside a hyphen within a word.
std::vector<TextSpan> joined_atoms(std::string_view text, std::span<const TextSpan> whole) {
  const auto is_hyphen = [](std::string_view sign) { return sign == "-" || sign == "'" || sign == "\u2019"; };
  std::vector<TextSpan> result;
  bool ends_with_hyphen = false;  // within a word
  for (const auto& atom : text_atoms(text)) {
    while (!whole.empty() && whole.front().end <= atom.begin) whole = whole.subspan(1);
    const bool is_inside = !whole.empty() && whole.front().begin < atom.end;
    const bool is_beside = !result.empty() && result.back().end == atom.begin;
    const bool is_hyphen_in_word = is_beside && is_hyphen(atom.of(text)) &&
                                   last_kind(text.substr(0, atom.begin)) == CharacterKind::kWord &&
                                   first_kind(text.substr(atom.end)) == CharacterKind::kWord;
    if (is_hyphen_in_word || ends_with_hyphen ||
        (is_inside && !result.empty() && result.back().end > whole.front().begin))
      result.back().end = atom.end;
    else
      result.push_back(atom);
    ends_with_hyphen = is_hyphen_in_word;
  }
  return result;
}

class Placement {
 public:
  Placement(const InlineText& source, std::string_view target, std::span<const AlignedSpan> links,
            std::span<const TextSpan> whole)
      : source_(source), target_(target), root_(source.elements.size()), source_atoms_(text_atoms(source.text)) {
    find_parents();
    link_atoms(links, whole);
  }

  /// Returns the elements in the order of the target.
  std::vector<InlineElement> elements() {
    if (depth_ > kMaxNesting || root_ * atoms_.size() > kMaxComparisons) return elements_in_proportion();
    place_children(root_, {0, target_.size()});
    move_into_order();
    std::vector<InlineElement> result;
    write_children(root_, result);
    return std::ranges::is_sorted(written_in_order_) ? result : elements_in_proportion();
  }

 private:
  using Kind = InlineElement::Kind;

  void find_parents() {
    parents_.assign(root_, root_);
    children_.resize(root_ + 1);
    places_.assign(root_ + 1, {0, target_.size()});
    std::vector<std::size_t> open{root_};
    for (std::size_t i = 0; i < root_; ++i) {
      const auto kind = source_.elements[i].kind;
      if (kind == Kind::kClosing) {
        open.pop_back();
        continue;
      }
      parents_[i] = open.back();
      children_[open.back()].push_back(i);
      if (kind == Kind::kOpening) open.push_back(i);
      depth_ = std::max(depth_, open.size() - 1);
    }
  }

  void link_atoms(std::span<const AlignedSpan> links, std::span<const TextSpan> whole) {
    auto link = links.begin();
    for (const auto& span : joined_atoms(target_, whole)) {
      TargetAtom atom{span, {}, 0};
      while (link != links.end() && link->target.end <= span.begin) ++link;
      for (auto next = link; next != links.end() && next->target.begin < span.end; ++next)
        if (next->target.end > span.begin && next->weight > atom.weight)
          std::tie(atom.source, atom.weight) = std::tuple(next->source, next->weight);
      if (first_kind(span.of(target_)) == CharacterKind::kOther) atom.weight *= kSignWeight;
      atoms_.push_back(atom);
    }
  }

  TextSpan source_range(std::size_t pair) const {
    const auto& elements = source_.elements;
    if (pair == root_) return {0, source_.text.size()};
    return {elements[pair].offset, elements[elements[pair].partner].offset};
  }
  /// Returns whether an atom is linked to a range of the source.
  static bool is_linked(const TargetAtom& atom, TextSpan range) {
    return atom.source && atom.source->begin < range.end && atom.source->end > range.begin;
  }
  bool is_sign(const TargetAtom& atom) const { return first_kind(atom.span.of(target_)) == CharacterKind::kOther; }

  void place_children(std::size_t parent, TextSpan range) {
    places_[parent] = range;
    std::vector<std::size_t> pairs, others;
    for (const auto child : children_[parent])
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
      taken.push_back(place);
      place_children(pair, place);
    }
    for (const auto other : others) {
      const auto offset = outside(taken, place_of_point(source_.elements[other].offset, range));
      place_children(other, {offset, offset});
    }
  }

  /// Returns the target words of a pair; an empty range if there are none.
  TextSpan place_of_pair(std::size_t pair, std::size_t parent, TextSpan range, std::span<const TextSpan> taken) const {
    const auto words = source_range(pair), around = source_range(parent);
    if (is_blank_source(words)) return {};
    if (taken.empty() && is_blank_source({around.begin, words.begin}) && is_blank_source({words.end, around.end}))
      return range;
    const auto best = best_range(words, range, taken);
    return best.empty() ? nearest_atom(words, range, taken) : best;
  }

  /// Returns the free atom at the place of a pair whose words have no counterpart; some markup has no empty pairs.
  TextSpan nearest_atom(TextSpan words, TextSpan range, std::span<const TextSpan> taken) const {
    const auto place = place_of_point(words.begin, range);
    TextSpan nearest;
    for (const auto& atom : atoms_)
      if (!is_sign(atom) && is_free(atom, range, taken) && (nearest.empty() || atom.span.begin <= place))
        nearest = atom.span;
    return nearest;
  }

  static bool is_free(const TargetAtom& atom, TextSpan range, std::span<const TextSpan> taken) {
    return atom.span.begin >= range.begin && atom.span.end <= range.end &&
           std::ranges::none_of(taken, [&](auto t) { return atom.span.begin < t.end && atom.span.end > t.begin; });
  }

  /// Returns the range of free atoms with the largest sum; the shortest of these.
  TextSpan best_range(TextSpan words, TextSpan range, std::span<const TextSpan> taken) const {
    double sum = 0, best_sum = 0;
    TextSpan current, best;
    for (const auto& atom : atoms_) {
      const bool free = is_free(atom, range, taken);
      if (!free || sum <= 0) {
        sum = 0;
        current.begin = atom.span.begin;
      }
      if (free && atom.source) sum += is_linked(atom, words) ? atom.weight : -atom.weight;
      if (sum > best_sum) {
        best_sum = sum;
        best = {current.begin, atom.span.end};
      }
    }
    return best;
  }

  bool is_blank_source(TextSpan range) const {
    const auto first = std::ranges::lower_bound(source_atoms_, range.begin, {}, &TextSpan::begin);
    return first == source_atoms_.end() || first->begin >= range.end;
  }

  /// Returns the strongest atom within a range that is linked to a source atom; before others one with its text.
  const TargetAtom* linked_to(TextSpan source_atom, TextSpan range) const {
    const auto rank = [&](const TargetAtom& atom) {
      return std::pair(atom.span.of(target_) == source_atom.of(source_.text), atom.weight);
    };
    const TargetAtom* best = nullptr;
    for (const auto& atom : atoms_)
      if (is_linked(atom, source_atom) && is_free(atom, range, {}) && (!best || rank(atom) > rank(*best))) best = &atom;
    return best;
  }

  /// Returns the place of an element without width at a byte of the source.
  std::size_t place_of_point(std::size_t offset, TextSpan range) const {
    auto place = place_by_neighbors(offset, range);
    if (offset == source_.text.size() || !is_closing_sign(decode_utf8(source_.text, offset).value.value_or(0)))
      return place;
    for (auto atom = atoms_.rbegin(); atom != atoms_.rend(); ++atom)
      if (atom->span.end == place && atom->span.begin >= range.begin &&
          is_closing_sign(decode_utf8(target_, atom->span.begin).value.value_or(0)))
        place = atom->span.begin;
    return place;
  }

  /// Returns where the first atom begins (0), or the last one ends.
  std::size_t edge(std::size_t atom) const {
    if (atoms_.empty()) return target_.size();
    return atom == 0 ? atoms_.front().span.begin : atoms_.back().span.end;
  }

  std::size_t place_by_neighbors(std::size_t offset, TextSpan range) const {
    constexpr std::size_t kNeighbors = 8;
    const auto next = static_cast<std::size_t>(std::ranges::lower_bound(source_atoms_, offset, {}, &TextSpan::begin) -
                                               source_atoms_.begin());
    // White space at the ends of a text is that of its source.
    if (next == 0) return std::clamp(std::min(offset, edge(0)), range.begin, range.end);
    if (next == source_atoms_.size() && offset >= source_atoms_.back().end) {
      const auto after = std::min(source_.text.size() - offset, target_.size() - edge(atoms_.size()));
      return std::clamp(target_.size() - after, range.begin, range.end);
    }
    for (std::size_t distance = 0; distance < kNeighbors; ++distance) {
      if (next > distance)
        if (const auto* before = linked_to(source_atoms_[next - 1 - distance], range)) return before->span.end;
      if (next + distance < source_atoms_.size())
        if (const auto* after = linked_to(source_atoms_[next + distance], range)) return after->span.begin;
    }
    return std::clamp(in_proportion(offset), range.begin, range.end);
  }

  /// Returns the edge of an atom at the place in proportion.
  std::size_t in_proportion(std::size_t offset) const {
    const auto wanted = offset * target_.size() / std::max<std::size_t>(1, source_.text.size());
    const auto atom = std::ranges::lower_bound(atoms_, wanted, {}, [](const auto& a) { return a.span.end; });
    return offset == 0 ? 0 : atom == atoms_.end() ? target_.size() : atom->span.end;
  }
  std::vector<InlineElement> elements_in_proportion() const {
    auto result = source_.elements;
    for (auto& element : result) element.offset = in_proportion(element.offset);
    return result;
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
    std::vector<std::vector<TextSpan>> pairs(root_ + 1);  // within each element, ascending; they are disjoint
    for (std::size_t parent = 0; parent <= root_; ++parent) {
      for (const auto child : children_[parent])
        if (!places_[child].empty()) pairs[parent].push_back(places_[child]);
      std::ranges::sort(pairs[parent], {}, &TextSpan::begin);
    }
    std::size_t last = 0;
    for (std::size_t i = 0; i < root_; ++i) {
      if (!source_.elements[i].in_order) continue;
      last = std::max(places_[i].begin, last);
      const auto& siblings = pairs[parents_[i]];
      const auto next = std::ranges::lower_bound(siblings, last, {}, &TextSpan::begin);
      if (next != siblings.begin()) last = std::max(last, (next - 1)->end);
      last = std::min(last, places_[parents_[i]].end);
      places_[i] = {last, last};
    }
  }

  void write_children(std::size_t parent, std::vector<InlineElement>& result) {
    auto& ordered = children_[parent];
    std::ranges::stable_sort(ordered, {}, [&](auto i) { return std::pair(places_[i].begin, places_[i].end); });
    for (const auto i : ordered) {
      const auto index = result.size();
      result.push_back(source_.elements[i]);
      result.back().offset = places_[i].begin;
      if (result.back().in_order) written_in_order_.push_back(i);
      if (result.back().kind != Kind::kOpening) continue;
      write_children(i, result);
      result[index].partner = result.size();
      result.push_back(source_.elements[source_.elements[i].partner]);
      result.back().offset = places_[i].end;
      result.back().partner = index;
    }
  }

  const InlineText& source_;
  std::string_view target_;
  std::size_t root_;  ///< the whole text, the parent of the outer elements
  std::vector<TextSpan> source_atoms_;
  std::vector<TargetAtom> atoms_;
  std::vector<std::size_t> parents_;                ///< the pair that an element is in
  std::vector<std::vector<std::size_t>> children_;  ///< of each element, and of the root
  std::vector<TextSpan> places_;                    ///< in the target; empty for marks and words
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

std::vector<AlignedSpan> links_in_proportion(std::string_view source, std::string_view target) {
  const auto sources = text_atoms(source), targets = text_atoms(target);
  std::vector<AlignedSpan> links;
  for (std::size_t i = 0; i < targets.size() && !sources.empty(); ++i)
    links.push_back({targets[i], sources[(2 * i + 1) * sources.size() / (2 * targets.size())]});
  return links;
}

bool is_closing_sign(char32_t character) {
  return std::u32string_view(U".,;:!?)]}\u2026\u00bb\u201d\u2019\u3002\uff0c\u3001\uff01\uff1f\uff09\u300d")
             .find(character) != std::u32string_view::npos;
}

InlineText place_elements(const InlineText& source, std::string target, std::span<const AlignedSpan> links,
                          std::span<const TextSpan> whole) {
  if (source.elements.empty()) return {std::move(target), {}};
  auto elements = Placement(source, target, links, whole).elements();
  return {std::move(target), std::move(elements)};
}

}  // namespace gloss
