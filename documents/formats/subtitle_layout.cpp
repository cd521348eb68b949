#include "documents/formats/subtitle_layout.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "common/text/split.h"
#include "common/text/terminal_text.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "documents/formats/subtitle_text.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

constexpr double kMaxColumns = 42, kMaxLines = 2, kMaxColumnsPerSecond = 17;
constexpr std::size_t kMaxWords = 500, kMaxBalancedLines = 10;  // beyond, the best cuts are not searched for

// Weights of the costs of a cut between cues, and of a line break.
constexpr double kShareWeight = 5;     // for the squared difference of a cue's share, in parts of the mean share
constexpr double kLinkWeight = 1;      // for each word that is linked to another cue
constexpr double kCutWeight = 1;       // for a cut without punctuation; half of it after a comma
constexpr double kExcessWeight = 0.2;  // for each column beyond the lines
constexpr double kSpeedWeight = 0.1;   // for each column beyond those that can be read in a second
constexpr double kBalanceWeight = 4;   // for the squared difference of a line's share of the widest line
constexpr double kWideLine = 100;      // for a line that is too wide

/// Words of a text, with their columns. Characters of scripts without spaces are words, with the punctuation that must
/// not begin or end a line.
struct LayoutWords {
  std::string_view text;
  std::vector<TextSpan> spans;
  std::vector<double> begins, ends;  ///< columns before a word, and up to its end

  explicit LayoutWords(std::string_view whole) : text(whole) {
    char32_t before = U' ';
    double columns = 0;
    for_each_character(whole, [&](auto value, std::string_view spelling) {
      const auto c = value.value_or(U'\ufffd');
      const auto offset = static_cast<std::size_t>(spelling.data() - whole.data());
      if (!is_white_space(c) && (is_white_space(before) || may_break(before, c))) {
        spans.push_back({offset, offset});
        begins.push_back(columns);
        ends.push_back(columns);
      }
      columns += static_cast<double>(columns_of(c));
      if (!is_white_space(c)) {
        spans.back().end = offset + spelling.size();
        ends.back() = columns;
      }
      before = c;
    });
  }

  std::size_t size() const { return spans.size(); }
  double columns(TextSpan words) const { return ends[words.end - 1] - begins[words.begin]; }
  TextSpan range(TextSpan words) const { return {spans[words.begin].begin, spans[words.end - 1].end}; }

  /// Returns how bad a cut after a word is: 0 after the end of a sentence, 1 without punctuation.
  double cut_cost(std::size_t word) const {
    constexpr std::u32string_view kPauses = U",;:\u2013\u2014\u3001\uff0c\uff1b\uff1a\u060c";
    const auto last = spans[word].of(text);
    if (ends_with_mark(last)) return 0;
    return kPauses.find(*decode_utf8(last, last_character(last)).value) == kPauses.npos ? 1 : 0.5;
  }

 private:
  /// Returns whether a line may end between two characters that are not white space.
  static bool may_break(char32_t before, char32_t after) {
    constexpr std::u32string_view kNotFirst =
        U".,:;!?%)]}\u2019\u201d\u2026\u3001\u3002\u3005\u3009\u300b\u300d\u300f\u3011\u3041\u3043\u3045\u3047\u3049"
        U"\u3063\u3083\u3085\u3087\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7\u30fb\u30fc\uff01\uff05\uff09"
        U"\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d";
    constexpr std::u32string_view kNotLast = U"([{\u2018\u201c\u3008\u300a\u300c\u300e\u3010\uff08\uff3b\uff5b";
    const auto is_wide = [](char32_t c) { return columns_of(c) == 2 && kind_of(c) != CharacterKind::kWord; };
    return (is_wide(before) || is_wide(after)) && kNotFirst.find(after) == kNotFirst.npos &&
           kNotLast.find(before) == kNotLast.npos;
  }
};

/// Returns `parts` ranges of words, none empty, with the least sum of `cost(part, range)`.
std::vector<TextSpan> cheapest_cuts(std::size_t words, std::size_t parts,
                                    const std::function<double(std::size_t part, TextSpan range)>& cost) {
  // best[i][n]: the least cost of the first n words in i parts, the last of which begins at from[i][n].
  std::vector best(parts + 1, std::vector(words + 1, std::numeric_limits<double>::infinity()));
  std::vector from(parts + 1, std::vector<std::size_t>(words + 1));
  best[0][0] = 0;
  for (std::size_t part = 1; part <= parts; ++part)
    for (auto end = part; end + (parts - part) <= words; ++end)
      for (auto begin = part - 1; begin < end; ++begin) {
        if (best[part - 1][begin] == std::numeric_limits<double>::infinity()) continue;
        const auto sum = best[part - 1][begin] + cost(part - 1, {begin, end});
        if (sum >= best[part][end]) continue;
        best[part][end] = sum;
        from[part][end] = begin;
      }
  std::vector<TextSpan> ranges(parts);
  for (auto part = parts, end = words; part > 0; --part) {
    ranges[part - 1] = {from[part][end], end};
    end = from[part][end];
  }
  return ranges;
}

/// Finds the words of each cue.
class CueCuts {
 public:
  CueCuts(const LayoutWords& words, std::span<const AlignedSpan> links, std::span<const CueSlot> cues)
      : words_(words), cues_(cues), own_links_(cues.size(), std::vector<double>(words.size() + 1)) {
    std::vector<double> all(words.size() + 1);
    std::size_t word = 0;
    for (const auto& link : links) {
      while (word < words.size() && words.spans[word].end <= link.target.begin) ++word;
      for (auto next = word; next < words.size() && words.spans[next].begin < link.target.end; ++next) {
        const auto cue = std::ranges::upper_bound(cues, link.source.begin, {}, [](auto& c) { return c.source.begin; });
        own_links_[cue == cues.begin() ? 0 : static_cast<std::size_t>(cue - cues.begin()) - 1][next + 1] += link.weight;
        all[next + 1] += link.weight;
      }
    }
    for (auto& own : own_links_)
      for (std::size_t i = 1; i < all.size(); ++i) own[i] = own[i - 1] + (all[i] > 0 ? own[i] / all[i] : 0);
    linked_.resize(all.size());
    for (std::size_t i = 1; i < all.size(); ++i) linked_[i] = linked_[i - 1] + (all[i] > 0 ? 1 : 0);
  }

  std::vector<TextSpan> find() const {
    const auto count = cues_.size(), words = words_.size();
    if (words > count && words <= kMaxWords)
      return cheapest_cuts(words, count, [this](auto cue, auto range) { return cost(cue, range); });
    std::vector<TextSpan> ranges;
    for (std::size_t i = 0; i < count; ++i)
      ranges.push_back(words > count ? TextSpan{words * i / count, words * (i + 1) / count}
                                     : TextSpan{std::min(i, words - 1), std::min(i, words - 1) + 1});
    return ranges;
  }

 private:
  double cost(std::size_t cue, TextSpan range) const {
    const auto& slot = cues_[cue];
    const auto columns = words_.columns(range), count = static_cast<double>(cues_.size());
    const auto share = columns / words_.columns({0, words_.size()});
    const auto wanted = static_cast<double>(slot.source.size()) / static_cast<double>(cues_.back().source.end);
    const auto difference = (share - wanted) * count;
    auto sum = kShareWeight * difference * difference;
    const auto& own = own_links_[cue];
    sum += kLinkWeight * ((linked_[range.end] - linked_[range.begin]) - (own[range.end] - own[range.begin]));
    if (range.end < words_.size()) sum += kCutWeight * words_.cut_cost(range.end - 1);
    sum += kExcessWeight * std::max(0.0, columns - kMaxLines * kMaxColumns);
    return sum + kSpeedWeight * std::max(0.0, columns / std::max(slot.seconds, 0.1) - kMaxColumnsPerSecond);
  }

  const LayoutWords& words_;
  std::span<const CueSlot> cues_;
  std::vector<std::vector<double>> own_links_;  ///< of each cue: the sum over the words before one of the share of its
                                                ///< links that leads to this cue
  std::vector<double> linked_;                  ///< number of words before one that have links
};

/// Returns the lines of a range of words.
std::vector<TextSpan> lines_of(const LayoutWords& words, TextSpan range) {
  std::vector<TextSpan> lines{{range.begin, range.begin + 1}};
  for (auto word = range.begin + 1; word < range.end; ++word) {
    if (words.columns({lines.back().begin, word + 1}) > kMaxColumns) lines.push_back({word, word});
    lines.back().end = word + 1;
  }
  if (lines.size() == 1 || lines.size() > kMaxBalancedLines || range.size() > kMaxWords) return lines;
  const auto mean = words.columns(range) / static_cast<double>(lines.size());
  lines = cheapest_cuts(range.size(), lines.size(), [&](std::size_t, TextSpan line) {
    line = {line.begin + range.begin, line.end + range.begin};
    const auto columns = words.columns(line), difference = (columns - mean) / kMaxColumns;
    const auto cut = line.end < range.end ? words.cut_cost(line.end - 1) : 0;
    const auto excess = columns > kMaxColumns ? kWideLine + columns : 0;
    return kBalanceWeight * difference * difference + kCutWeight * cut + excess;
  });
  for (auto& line : lines) line = {line.begin + range.begin, line.end + range.begin};
  return lines;
}

/// Puts the elements of a translation into the lines of its cues.
class CueWriter {
 public:
  /// Has the bytes of each line, and the number of lines up to the end of each cue.
  CueWriter(const InlineText& text, std::span<const CueSlot> cues, std::vector<TextSpan> lines,
            std::vector<std::size_t> ends)
      : text_(text), lines_(std::move(lines)), ends_(std::move(ends)) {
    for (const auto& element : text.elements) line_of_.push_back(line_of(element, cues));
  }

  InlineText write(std::size_t cue) const {
    const auto first = cue == 0 ? 0 : ends_[cue - 1], end = ends_[cue];
    InlineText result;
    add_tags_across(first, Kind::kOpening, result);
    for (auto line = first; line < end; ++line) {
      if (line > first) result.text += '\n';
      const auto begin = result.text.size();
      result.text += lines_[line].of(text_.text);
      for (std::size_t i = 0; i < line_of_.size(); ++i)
        if (line_of_[i] == line)
          add(i,
              begin + std::clamp(text_.elements[i].offset, lines_[line].begin, lines_[line].end) - lines_[line].begin,
              result);
    }
    add_tags_across(end, Kind::kClosing, result);
    return result;
  }

 private:
  std::size_t line_of(const InlineElement& element, std::span<const CueSlot> cues) const {
    const auto next = std::ranges::upper_bound(lines_, element.offset, {}, &TextSpan::end);
    auto line = std::min(static_cast<std::size_t>(next - lines_.begin()), lines_.size() - 1);
    if (element.kind == Kind::kClosing) {
      const auto after = std::ranges::lower_bound(lines_, element.offset, {}, &TextSpan::begin);
      line = std::max(line_of_[element.partner],
                      static_cast<std::size_t>(after - lines_.begin()) - (after == lines_.begin() ? 0 : 1));
    }
    const auto own =
        std::ranges::upper_bound(cues, element.source.begin, {}, [](auto& cue) { return cue.range.begin; });
    if (element.kind != Kind::kMark || own == cues.begin()) return line;
    const auto cue = static_cast<std::size_t>(own - cues.begin()) - 1;
    return std::clamp(line, cue == 0 ? 0 : ends_[cue - 1], ends_[cue] - 1);
  }

  void add(std::size_t index, std::size_t offset, InlineText& result) const {
    auto element = text_.elements[index];
    element.offset = offset;
    element.partner = InlineElement::kNone;
    result.elements.push_back(std::move(element));
  }

  /// Adds the opening (or closing) tags of the pairs that the beginning of a line, which begins a cue, runs through.
  void add_tags_across(std::size_t line, Kind kind, InlineText& result) const {
    const auto begin = result.elements.size();
    for (std::size_t i = 0; i < line_of_.size(); ++i) {
      const auto partner = text_.elements[i].partner;
      if (text_.elements[i].kind == Kind::kOpening && line_of_[i] < line && line_of_[partner] >= line)
        add(kind == Kind::kOpening ? i : partner, result.text.size(), result);
    }
    if (kind == Kind::kClosing)
      std::reverse(result.elements.begin() + static_cast<std::ptrdiff_t>(begin), result.elements.end());
  }

  const InlineText& text_;
  std::vector<TextSpan> lines_;
  std::vector<std::size_t> ends_;
  std::vector<std::size_t> line_of_;  ///< of each element
};

}  // namespace

std::vector<InlineText> lay_out_cues(const UnitTranslation& translation, std::span<const CueSlot> cues) {
  const auto whole = with_element_texts(translation);
  const LayoutWords words(whole.target.text);
  if (words.size() == 0) return {};
  std::vector<TextSpan> lines;
  std::vector<std::size_t> ends;
  for (const auto& range : CueCuts(words, whole.links, cues).find()) {
    for (const auto& line : lines_of(words, range)) lines.push_back(words.range(line));
    ends.push_back(lines.size());
  }
  const CueWriter writer(whole.target, cues, std::move(lines), std::move(ends));
  std::vector<InlineText> parts;
  for (std::size_t cue = 0; cue < cues.size(); ++cue) parts.push_back(writer.write(cue));
  return parts;
}

}  // namespace gloss
