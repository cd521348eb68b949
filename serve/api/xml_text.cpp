#include "serve/api/xml_text.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "common/error.h"
#include "common/text/split.h"
#include "documents/markup/xml_inline.h"
#include "serve/http/api_error.h"

namespace gloss {
namespace {

using Kind = XmlRole::Kind;

// A text becomes a document by an element around it.
constexpr std::string_view kBefore = "<text>", kAfter = "</text>";

bool has_own_text(pugi::xml_node element) {
  return std::ranges::any_of(element.children(), [](pugi::xml_node node) {
    const bool is_text = node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
    return is_text && std::string_view(node.value()).find_first_not_of(kAsciiSpace) != std::string_view::npos;
  });
}

/// Gives each element of a document its role.
class RoleFinder {
 public:
  RoleFinder(const XmlDocument& document, const XmlTextRules& rules)
      : splitting_(rules.splitting.begin(), rules.splitting.end()),
        non_splitting_(rules.non_splitting.begin(), rules.non_splitting.end()),
        ignored_(rules.ignored.begin(), rules.ignored.end()),
        finds_outline_(rules.finds_outline) {
    for_each_element(document, [&](pugi::xml_node element) {
      const bool is_within_text = runs_text_.contains(element.parent().offset_debug()) && !is_border(element);
      if (is_within_text || has_own_text(element)) runs_text_.insert(element.offset_debug());
    });
  }

  XmlRole role(pugi::xml_node element) const {
    if (ignored_.contains(element.name())) return {Kind::kWord};
    return {is_border(element) ? Kind::kBorder : Kind::kPair};
  }

 private:
  bool is_border(pugi::xml_node element) const {
    if (splitting_.contains(element.name())) return true;
    return finds_outline_ && !non_splitting_.contains(element.name()) &&
           !runs_text_.contains(element.parent().offset_debug());
  }

  std::unordered_set<std::string_view> splitting_, non_splitting_, ignored_;  ///< names, of the rules
  bool finds_outline_;
  std::unordered_set<std::ptrdiff_t> runs_text_;  ///< elements whose elements are within a text, by their places
};

}  // namespace

Passage read_tagged_text(std::string bytes, const XmlTextRules& rules) {
  const bool is_document = bytes.starts_with("<?xml") || bytes.starts_with("<!DOCTYPE");
  const std::size_t shift = is_document ? 0 : kBefore.size();
  const auto whole = is_document ? bytes : std::string(kBefore).append(bytes).append(kAfter);
  std::vector<XmlText> texts;
  try {
    const XmlDocument document(whole, "text");
    const RoleFinder roles(document, rules);
    texts = read_xml_texts(document, document.root(), [&](pugi::xml_node element) { return roles.role(element); });
  } catch (const DataError&) {
    throw ApiError(400, "Invalid request: text: wanted well-formed XML, because tag_handling is xml");
  }
  Passage passage{std::move(bytes), {}, {}};
  for (auto& [source, range, is_cdata] : texts) {
    range = {range.begin - shift, range.end - shift};
    for (auto& element : source.elements)
      if (!element.source.empty()) element.source = {element.source.begin - shift, element.source.end - shift};
    passage.units.push_back({"text", source, rules.mode});
  }
  if (texts.empty()) return passage;
  passage.render = [texts = std::move(texts)](auto translations) { return replace_texts(texts, translations); };
  return passage;
}

}  // namespace gloss
