#include "documents/prepared_unit.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

constexpr std::u32string_view kNoSpaceBefore =
    U".,;:!?)]}\u2026\u00bb\u201d\u2019\u3002\uff0c\u3001\uff01\uff1f\uff09\u300d";
constexpr std::u32string_view kNoSpaceAfter = U"([{\u00ab\u201e\u201c\u2018\u300c\uff08\u00bf\u00a1";

bool is_one_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }
char32_t character_at(std::string_view text, std::size_t offset) {
  return offset < text.size() ? decode_utf8(text, offset).value.value_or(U'\ufffd') : U' ';
}
char32_t character_before(std::string_view text, std::size_t offset) {
  return offset == 0 ? U' ' : character_at(text, last_character(text.substr(0, offset)));
}

/// Builds the text of a prepared unit from the parts of the source that stay.
class Preparation {
 public:
  explicit Preparation(const InlineText& source) : source_(source) {}

  void keep(const Placeholder& placeholder) {
    copy_to(placeholder.span.begin);
    const auto begin = result_.text.text.size();
    copy_to(placeholder.span.end);
    result_.kept.push_back({{begin, result_.text.text.size()}, placeholder.kind == Placeholder::Kind::kCode});
  }

  /// Takes a placeholder out. Elements within it cut it into several.
  void take_out(const Placeholder& placeholder) {
    copy_to(placeholder.span.begin);
    while (copied_ < placeholder.span.end) {
      const auto next =
          next_element_ < source_.elements.size() ? source_.elements[next_element_].offset : source_.text.size();
      const auto end = next > copied_ ? std::min(next, placeholder.span.end) : placeholder.span.end;
      const auto kind = next > copied_ && next < placeholder.span.end ? Placeholder::Kind::kCode : placeholder.kind;
      add(element_of({{copied_, end}, kind}), {copied_, end}, tag_name(TextSpan{copied_, end}.of(source_.text)));
      copied_ = end;
      add_elements_to(end);
    }
  }

  PreparedUnit finish() {
    copy_to(source_.text.size());
    result_.origin.push_back(source_.text.size());
    pair_elements(result_.text, names_);
    drop_spaces();
    return std::move(result_);
  }

 private:
  InlineElement element_of(const Placeholder& placeholder) const {
    InlineElement element;
    element.text = placeholder.span.of(source_.text);
    switch (placeholder.kind) {
      case Placeholder::Kind::kOpening:
        element.kind = Kind::kOpening;
        break;
      case Placeholder::Kind::kClosing:
        element.kind = Kind::kClosing;
        break;
      case Placeholder::Kind::kMark:
        element.kind = Kind::kMark;
        break;
      default:
        element.kind = Kind::kWord;
        element.in_order = placeholder.kind == Placeholder::Kind::kCode;
    }
    return element;
  }
  static std::string tag_name(std::string_view tag) {
    const auto begin = tag.find_first_not_of("</");
    return begin == tag.npos ? "" : std::string(tag.substr(begin, tag.find_first_of(" \t\r\n/>", begin) - begin));
  }

  /// Adds an element that stands at a range of the source.
  void add(InlineElement element, TextSpan place, std::string name) {
    element.offset = result_.text.text.size();
    element.space_before = is_white_space(character_before(source_.text, place.begin));
    element.space_after = is_white_space(character_at(source_.text, place.end));
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
      result_.text.text += source_.text[copied_];
      result_.origin.push_back(copied_);
    }
  }

  /// Notes the spaces of word elements, and drops those that the text does not need without them.
  void drop_spaces() {
    auto& [text, elements] = result_.text;
    std::string kept;
    std::vector<std::size_t> origin;
    std::size_t written = 0, next_kept = 0;
    const auto write_to = [&](std::size_t end) {
      for (; next_kept < result_.kept.size() && result_.kept[next_kept].span.begin < end; ++next_kept) {
        auto& span = result_.kept[next_kept].span;
        const auto begin = kept.size() + (span.begin - written);
        span = {begin, begin + span.size()};
      }
      for (; written < end; ++written) {
        kept += text[written];
        origin.push_back(result_.origin[written]);
      }
    };
    for (auto& element : elements) {
      write_to(std::max(element.offset, written));
      if (element.kind == Kind::kWord) {
        const auto after = character_at(text, written);
        if (kept.ends_with(' ') && (is_white_space(after) || is_one_of(after, kNoSpaceBefore))) {
          kept.pop_back();
          origin.pop_back();
        } else if (kept.empty() && after == U' ' && written < text.size()) {
          ++written;
        }
      }
      element.offset = kept.size();
    }
    write_to(text.size());
    origin.push_back(result_.origin.back());
    result_.origin = std::move(origin);
    // A space that was dropped may have stood before a tag that opens before the word.
    for (auto i = elements.size(); i-- > 1;)
      elements[i - 1].offset = std::min(elements[i - 1].offset, elements[i].offset);
    text = std::move(kept);
  }

  const InlineText& source_;
  PreparedUnit result_;
  std::vector<std::string> names_;
  std::size_t copied_ = 0, next_element_ = 0;
};

}  // namespace

PreparedUnit prepare(const Unit& unit,
                     const std::function<bool(Placeholder::Kind kind, std::string_view placeholder)>& keeps) {
  Preparation preparation(unit.source);
  if (unit.has_placeholders)
    for (const auto& placeholder : find_placeholders(unit.source.text)) {
      const bool is_text =
          placeholder.kind == Placeholder::Kind::kCode || placeholder.kind == Placeholder::Kind::kQuantity;
      if (is_text && keeps(placeholder.kind, placeholder.span.of(unit.source.text)))
        preparation.keep(placeholder);
      else
        preparation.take_out(placeholder);
    }
  return preparation.finish();
}

void restore_spaces(InlineText& target, std::initializer_list<std::vector<AlignedSpan>*> spans) {
  std::string text;
  std::size_t written = 0;              // bytes of the old text that are in `text`
  std::vector<std::size_t> spaces;      // bytes of the old text before which there is a new space; ascending
  const InlineElement* word = nullptr;  // the word element at the end of `text`
  const auto add_space = [&] {
    text += ' ';
    spaces.push_back(written);
  };
  const auto write_to = [&](std::size_t end) {
    if (end == written) return;
    const auto next = character_at(target.text, written);
    if (word != nullptr && word->space_after && !is_white_space(next) && !is_one_of(next, kNoSpaceBefore)) add_space();
    word = nullptr;
    text += std::string_view(target.text).substr(written, end - written);
    written = end;
  };
  for (std::size_t i = 0; i < target.elements.size(); ++i) {
    auto& element = target.elements[i];
    write_to(element.offset);
    if (element.kind == Kind::kWord) {
      const auto before = character_before(text, text.size());
      const bool has_room = !is_white_space(before) && !is_one_of(before, kNoSpaceAfter);
      const bool needs_space =
          word != nullptr ? word->space_after || element.space_before : element.space_before && has_room;
      const auto place = text.size();
      if (needs_space) add_space();
      // The space stands before tags that open here.
      for (auto j = i; needs_space && j > 0 && target.elements[j - 1].kind == Kind::kOpening &&
                       target.elements[j - 1].offset == place;
           --j)
        target.elements[j - 1].offset = text.size();
      word = &element;
    }
    element.offset = text.size();
  }
  write_to(target.text.size());
  target.text = std::move(text);
  const auto moved = [&](std::size_t offset) {
    return offset + static_cast<std::size_t>(std::ranges::upper_bound(spaces, offset) - spaces.begin());
  };
  for (auto* of_kind : spans)
    for (auto& span : *of_kind) span.target = {moved(span.target.begin), moved(span.target.end - 1) + 1};
}

}  // namespace gloss
