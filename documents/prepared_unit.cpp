#include "documents/prepared_unit.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "documents/element_placement.h"

namespace gloss {
namespace {

bool is_opening_sign(char32_t c) {
  return std::u32string_view(U"([{\u00ab\u201e\u201c\u2018\u300c\uff08\u00bf\u00a1").find(c) !=
         std::u32string_view::npos;
}
char32_t character_at(std::string_view text, std::size_t offset) {
  return offset < text.size() ? decode_utf8(text, offset).value.value_or(U'\ufffd') : U' ';
}
char32_t character_before(std::string_view text, std::size_t offset) {
  return offset == 0 ? U' ' : character_at(text, last_character(text.substr(0, offset)));
}
bool is_word_character(char32_t c) { return kind_of(c) == CharacterKind::kWord; }

/// Builds the text of a prepared unit from the parts of the source that stay.
class Preparation {
 public:
  explicit Preparation(const InlineText& source) : source_(source) {}

  void keep(TextSpan placeholder) {
    copy_to(placeholder.begin);
    const auto begin = text().size();
    copy_to(placeholder.end);
    result_.kept.push_back({begin, text().size()});
  }

  /// Takes a placeholder out. Elements within it cut it into several.
  void take_out(const Placeholder& placeholder) {
    copy_to(placeholder.span.begin);
    while (copied_ < placeholder.span.end) {
      const auto next =
          next_element_ < source_.elements.size() ? source_.elements[next_element_].offset : source_.text.size();
      const bool is_cut = next > copied_ && next < placeholder.span.end;
      const TextSpan part{copied_, is_cut ? next : placeholder.span.end};
      copied_ = part.end;
      const auto part_text = part.of(source_.text);
      add(element_of(is_cut ? Placeholder::Kind::kCode : placeholder.kind, part_text), part, tag_name(part_text));
      add_elements_to(part.end);
    }
  }

  PreparedUnit finish() {
    copy_to(source_.text.size());
    result_.origin.push_back(source_.text.size());
    auto& elements = result_.text.elements;
    // A space that was dropped may have stood before a tag that opens before the word.
    for (auto i = elements.size(); i-- > 1;)
      elements[i - 1].offset = std::min(elements[i - 1].offset, elements[i].offset);
    pair_elements(result_.text, names_);
    return std::move(result_);
  }

 private:
  using Kind = InlineElement::Kind;

  std::string& text() { return result_.text.text; }

  static InlineElement element_of(Placeholder::Kind kind, std::string_view text) {
    InlineElement element{.kind = Kind::kWord, .source = {}, .text = std::string(text)};
    if (kind == Placeholder::Kind::kOpening) element.kind = Kind::kOpening;
    if (kind == Placeholder::Kind::kClosing) element.kind = Kind::kClosing;
    if (kind == Placeholder::Kind::kMark) element.kind = Kind::kMark;
    element.in_order = kind == Placeholder::Kind::kCode;
    return element;
  }
  static std::string tag_name(std::string_view tag) {
    const auto begin = tag.find_first_not_of("</");
    return begin == tag.npos ? "" : std::string(tag.substr(begin, tag.find_first_of(" \t\r\n/>", begin) - begin));
  }

  /// Adds an element that stands at a range of the source. Drops the space that only a word element needs.
  void add(InlineElement element, TextSpan place, std::string name) {
    const auto before = character_before(source_.text, place.begin), after = character_at(source_.text, place.end);
    element.space_before = is_white_space(before);
    element.space_after = is_white_space(after);
    element.word_before = is_word_character(before);
    element.word_after = is_word_character(after);
    if (const auto next = character_at(source_.text, copied_); element.kind == Kind::kWord) {
      if (has_text_ && text().ends_with(' ') && (is_white_space(next) || is_closing_sign(next))) {
        text().pop_back();
        result_.origin.pop_back();
      } else if (text().empty() && next == U' ' && copied_ < source_.text.size()) {
        ++copied_;
      }
    }
    element.offset = text().size();
    result_.text.elements.push_back(std::move(element));
    names_.push_back(std::move(name));
  }
  /// Adds the elements of the source up to a byte. Pairs have names that no tag has.
  void add_elements_to(std::size_t end) {
    for (; next_element_ < source_.elements.size() && source_.elements[next_element_].offset <= end; ++next_element_) {
      const auto& element = source_.elements[next_element_];
      append_to(element.offset);
      const auto opening = element.kind == Kind::kClosing ? element.partner : next_element_;
      add(element, {element.offset, element.offset}, " " + std::to_string(opening));
      if (next_element_ == 0 || source_.elements[next_element_ - 1].offset < element.offset) continue;
      auto& before = result_.text.elements[result_.text.elements.size() - 2];
      auto& after = result_.text.elements.back();
      if (before.kind == Kind::kWord && after.kind == Kind::kWord) before.space_after = after.space_before = false;
    }
  }
  void copy_to(std::size_t end) {
    add_elements_to(end);
    append_to(end);
  }
  void append_to(std::size_t end) {
    for (; copied_ < end; ++copied_) {
      text() += source_.text[copied_];
      has_text_ |= source_.text[copied_] != ' ';
      result_.origin.push_back(copied_);
    }
  }

  const InlineText& source_;
  PreparedUnit result_;
  std::vector<std::string> names_;
  std::size_t copied_ = 0, next_element_ = 0;
  bool has_text_ = false;  ///< more than spaces was copied
};

/// Returns a placeholder as a splitter reads it, in as many bytes: a word that may begin a sentence, a sign that is no
/// part of the sentence (a tag), or white space.
std::string stand_in(const Placeholder& placeholder, std::string_view text) {
  const bool is_tag =
      placeholder.kind == Placeholder::Kind::kOpening || placeholder.kind == Placeholder::Kind::kClosing;
  const bool is_space = placeholder.kind == Placeholder::Kind::kMark || text == "&nbsp;";
  const bool is_word = placeholder.kind == Placeholder::Kind::kCode && static_cast<unsigned char>(text[0]) < 0x80;
  if (is_space) return std::string(text.size(), ' ');
  if (is_tag || text[0] == '&') return std::string(text.size(), '*');
  return is_word ? 'X' + std::string(text.size() - 1, 'x') : std::string(text);
}

/// Returns the sentences of a unit's text.
std::vector<TextSpan> sentences_of(const Unit& unit, std::span<const Placeholder> placeholders,
                                   const SentenceSplitter& splitter) {
  auto text = unit.source.text;
  for (const auto& placeholder : placeholders)
    text.replace(placeholder.span.begin, placeholder.span.size(), stand_in(placeholder, placeholder.span.of(text)));
  std::vector<std::size_t> words;  // places of word elements, for which a letter is put in
  for (const auto& element : unit.source.elements)
    if (element.kind == InlineElement::Kind::kWord && is_white_space(character_before(text, element.offset)) &&
        (words.empty() || words.back() < element.offset))
      words.push_back(element.offset);
  for (auto word = words.rbegin(); word != words.rend(); ++word) text.insert(*word, "X");
  auto sentences = sentence_spans(text, unit.mode, splitter);
  std::size_t before = 0;  // letters that were put in before the place
  const auto to_source = [&](std::size_t place) {
    while (before < words.size() && words[before] + before < place) ++before;
    return place - before;
  };
  for (auto& [begin, end] : sentences) begin = to_source(begin), end = to_source(end);
  return sentences;
}

}  // namespace

PreparedUnit prepare(const Unit& unit, const SentenceSplitter& splitter, std::span<const TextSpan> phrases,
                     const std::function<bool(std::string_view text)>& keeps) {
  Preparation preparation(unit.source);
  const auto placeholders = unit.has_placeholders ? find_placeholders(unit.source.text) : std::vector<Placeholder>();
  for (const auto& placeholder : placeholders) {
    const auto overlaps = [&](const TextSpan& phrase) {
      return phrase.begin < placeholder.span.end && phrase.end > placeholder.span.begin;
    };
    const bool is_quantity = placeholder.kind == Placeholder::Kind::kQuantity;
    if (is_quantity && std::ranges::any_of(phrases, overlaps)) continue;
    const bool stays =
        (is_quantity || placeholder.kind == Placeholder::Kind::kSign) && keeps(placeholder.span.of(unit.source.text));
    if (!stays)
      preparation.take_out(placeholder);
    else if (is_quantity)
      preparation.keep(placeholder.span);
  }
  auto prepared = preparation.finish();
  const auto place_of = [&](std::size_t origin) {
    return static_cast<std::size_t>(std::ranges::lower_bound(prepared.origin, origin) - prepared.origin.begin());
  };
  for (const auto& sentence : sentences_of(unit, placeholders, splitter)) {
    const auto span = without_outer_space(prepared.text.text, {place_of(sentence.begin), place_of(sentence.end)});
    if (!span.empty()) prepared.sentences.push_back(span);
  }
  return prepared;
}

void restore_spaces(UnitTranslation& translation) {
  auto& target = translation.target;
  std::string text;
  std::size_t written = 0;              // bytes of the old text that are in `text`
  std::vector<std::size_t> spaces;      // bytes of the old text before which there is a new space; ascending
  const InlineElement* word = nullptr;  // the word element at the end of `text`
  // Adds a space at the end of the text, before tags that open there. `end`: the number of elements so far.
  const auto add_space = [&](std::size_t end) {
    const auto place = text.size();
    text += ' ';
    spaces.push_back(written);
    for (; end > 0; --end) {
      auto& tag = target.elements[end - 1];
      if (tag.kind != InlineElement::Kind::kOpening || tag.offset != place) break;
      tag.offset = text.size();
    }
  };
  const auto write_to = [&](std::size_t end, std::size_t elements) {
    if (end == written) return;
    const auto next = character_at(target.text, written);
    if (word != nullptr && (word->space_after ? !is_white_space(next) && !is_closing_sign(next)
                                              : !word->word_after && is_word_character(next)))
      add_space(elements);
    word = nullptr;
    text += std::string_view(target.text).substr(written, end - written);
    written = end;
  };
  for (std::size_t i = 0; i < target.elements.size(); ++i) {
    auto& element = target.elements[i];
    write_to(element.offset, i);
    if (element.kind == InlineElement::Kind::kWord) {
      const auto before = character_before(text, text.size());
      const bool needs_space = word != nullptr        ? word->space_after || element.space_before
                               : element.space_before ? !is_white_space(before) && !is_opening_sign(before)
                                                      : !element.word_before && is_word_character(before);
      if (needs_space) add_space(i);
      word = &element;
    }
    element.offset = text.size();
  }
  write_to(target.text.size(), target.elements.size());
  target.text = std::move(text);
  const auto moved = [&](std::size_t offset) {
    return offset + static_cast<std::size_t>(std::ranges::upper_bound(spaces, offset) - spaces.begin());
  };
  for (auto* spans : {&translation.links, &translation.sentences})
    for (auto& span : *spans) span.target = {moved(span.target.begin), moved(span.target.end - 1) + 1};
}

}  // namespace gloss
