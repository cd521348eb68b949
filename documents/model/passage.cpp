#include "documents/model/passage.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "common/error.h"

namespace gloss {
namespace {

/// Order of replacements: by their beginning, insertions first, then outer ones before those within them.
auto order_of(const Replacement& replacement) {
  const auto& range = replacement.range;
  return std::tuple(range.begin, !range.empty(), static_cast<std::size_t>(-1) - range.end);
}

/// Writes bytes with their replacements, which are in order.
class ReplacementWriter {
 public:
  ReplacementWriter(std::string_view bytes, std::span<const Replacement> replacements)
      : bytes_(bytes), replacements_(replacements), used_(replacements.size()) {}

  std::string write() {
    copy({0, bytes_.size()}, /*is_part=*/false);
    if (std::ranges::count(used_, true) != std::ssize(used_))
      throw Error(ExitCode::kFault, "replacements overlap, or one lies in bytes that another one drops");
    return std::move(output_);
  }

 private:
  /// Copies a range with the replacements in it. Insertions at the edges of a part belong to the bytes around it.
  void copy(TextSpan range, bool is_part) {
    const auto whole = range;
    const auto first =
        std::ranges::lower_bound(replacements_, range.begin, {}, [](const auto& r) { return r.range.begin; });
    for (auto i = static_cast<std::size_t>(first - replacements_.begin()); i < replacements_.size(); ++i) {
      const auto& next = replacements_[i];
      if (next.range.begin > range.end) break;
      const bool at_edge = next.range.empty() && (next.range.begin == whole.begin || next.range.begin == whole.end);
      if (used_[i] || next.range.begin < range.begin || next.range.end > range.end || (is_part && at_edge)) continue;
      output_ += bytes_.substr(range.begin, next.range.begin - range.begin);
      used_[i] = true;
      for (const auto& part : next.parts) {
        if (const auto* text = std::get_if<std::string>(&part)) output_ += *text;
        if (const auto* span = std::get_if<TextSpan>(&part)) copy(*span, /*is_part=*/true);
      }
      range.begin = next.range.end;
    }
    output_ += bytes_.substr(range.begin, range.end - range.begin);
  }

  std::string_view bytes_;
  std::span<const Replacement> replacements_;
  std::vector<bool> used_;
  std::string output_;
};

}  // namespace

UnitTranslation with_element_texts(const UnitTranslation& translation) {
  auto result = translation;
  auto& [text, elements] = result.target;
  text.clear();
  elements.clear();
  std::vector<std::size_t> places;         // in the result, of each element that stays
  std::vector<std::size_t> begins, added;  // bytes of the old text with an element, and the bytes added up to there
  std::size_t copied = 0;
  for (const auto& old : translation.target.elements) {
    text.append(translation.target.text, copied, old.offset - copied);
    copied = old.offset;
    places.push_back(elements.size());
    if (old.source.empty()) {
      text += old.text;
      begins.push_back(old.offset);
      added.push_back((added.empty() ? 0 : added.back()) + old.text.size());
      continue;
    }
    auto element = old;
    element.offset = text.size();
    if (element.kind == InlineElement::Kind::kClosing) {
      element.partner = places[element.partner];
      elements[element.partner].partner = elements.size();
    }
    elements.push_back(std::move(element));
  }
  text.append(translation.target.text, copied);
  const auto moved = [&](std::size_t offset) {
    const auto before = std::ranges::upper_bound(begins, offset) - begins.begin();
    return offset + (before == 0 ? 0 : added[static_cast<std::size_t>(before) - 1]);
  };
  for (auto* spans : {&result.links, &result.sentences})
    for (auto& [target, source, weight] : *spans) target = {moved(target.begin), moved(target.end - 1) + 1};
  return result;
}

std::string apply_replacements(std::string_view bytes, std::vector<Replacement> replacements) {
  std::ranges::stable_sort(replacements, {}, order_of);
  return ReplacementWriter(bytes, replacements).write();
}

std::vector<std::variant<std::string, TextSpan>> rendered(const InlineText& text,
                                                          const std::function<std::string(std::string_view)>& escape) {
  std::vector<std::variant<std::string, TextSpan>> parts;
  std::size_t written = 0;
  const auto add_text_to = [&](std::size_t end) {
    if (end > written) parts.emplace_back(escape(std::string_view(text.text).substr(written, end - written)));
    written = end;
  };
  for (const auto& element : text.elements) {
    add_text_to(element.offset);
    if (element.source.empty())
      parts.emplace_back(escape(element.text));
    else
      parts.emplace_back(element.source);
  }
  add_text_to(text.text.size());
  return parts;
}

}  // namespace gloss
