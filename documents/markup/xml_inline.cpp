#include "documents/markup/xml_inline.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

/// Adds the nodes of one element to an InlineBuilder.
class XmlTextReader {
 public:
  XmlTextReader(const XmlDocument& document, const XmlRoles& roles, const TextFunction& decode)
      : document_(document), roles_(roles), decode_(decode) {}

  void add_children(pugi::xml_node element) {
    for (const auto node : element.children()) {
      const auto range = document_.range(node);
      if (node.type() == pugi::node_element)
        add_element(node, range);
      else if (node.type() == pugi::node_pcdata)
        add_text(range);
      else if (node.type() == pugi::node_cdata)
        builder_.add_text(decoded(node.value()), range);
      else
        builder_.add_element(InlineElement::Kind::kMark, range);
    }
  }
  void add_cdata(TextSpan range) {
    add_without_margins(range, [](auto bytes) { return std::string(bytes); });
  }
  std::optional<PlacedText> finish() { return builder_.finish(); }
  /// Ends the text at a border.
  void end_text() {
    if (auto text = finish()) texts.push_back({std::move(text->source), text->range});
  }

  std::vector<XmlText> texts;  ///< that have ended

 private:
  std::string decoded(std::string_view text) const { return decode_ ? decode_(text) : std::string(text); }

  /// The recursion is as deep as the document, at most kMaxDepth.
  void add_element(pugi::xml_node node, TextSpan range) {
    const auto role = roles_(node);
    if (role.kind == XmlRole::Kind::kBorder) {
      end_text();
      add_children(node);
      return end_text();
    }
    // Only tags of one parent are pairs, so that none crosses the tags of an element.
    const auto name = role.name + '@' + std::to_string(node.parent().offset_debug());
    if (role.kind == XmlRole::Kind::kOpening) return builder_.add_element(InlineElement::Kind::kOpening, range, name);
    if (role.kind == XmlRole::Kind::kClosing) return builder_.add_element(InlineElement::Kind::kClosing, range, name);
    if (role.kind == XmlRole::Kind::kWord) return builder_.add_element(InlineElement::Kind::kWord, range);
    if (role.kind == XmlRole::Kind::kMark || document_.is_empty_tag(node))
      return builder_.add_element(InlineElement::Kind::kMark, range);
    const auto own_name = "element " + std::to_string(range.begin);
    builder_.add_element(InlineElement::Kind::kOpening, document_.start_tag(node), own_name);
    add_children(node);
    builder_.end_pair(document_.end_tag(node), own_name, /*is_reference=*/false);
  }

  /// Adds a text. A reference that is not decoded is a word, and so is that of a carriage return, which parsers change.
  void add_text(TextSpan range) {
    constexpr std::size_t kMaxReference = 100;
    const auto bytes = document_.bytes();
    auto begin = range.begin;
    for (auto place = begin; place < range.end; ++place) {
      if (bytes[place] != '&') continue;
      const auto name = bytes.substr(place, std::min(kMaxReference, range.end - place));
      const auto end = name.find_first_of("; \t\r\n&", 1);
      if (end == name.npos || name[end] != ';') continue;
      const auto reference = name.substr(0, end + 1);
      const auto character = decode_xml(reference);
      if (character != reference && character != "\r") continue;
      add_without_margins({begin, place}, decode_xml);
      builder_.add_element(character == "\r" ? InlineElement::Kind::kMark : InlineElement::Kind::kWord,
                           {place, place + end + 1});
      begin = place + end + 1;
    }
    add_without_margins({begin, range.end}, decode_xml);
  }

  /// Adds white space at the ends as texts of their own, so that it can stay outside of the unit.
  void add_without_margins(TextSpan range, const TextFunction& unescaped) {
    const auto text = range.of(document_.bytes());
    const auto first = std::min(text.find_first_not_of(kAsciiSpace), text.size());
    const auto last = std::max(text.find_last_not_of(kAsciiSpace) + 1, first);
    for (const auto& [begin, end] : {TextSpan{0, first}, TextSpan{first, last}, TextSpan{last, text.size()}})
      if (begin < end)
        builder_.add_text(decoded(unescaped(text.substr(begin, end - begin))),
                          {range.begin + begin, range.begin + end});
  }

  const XmlDocument& document_;
  const XmlRoles& roles_;
  const TextFunction& decode_;
  InlineBuilder builder_;
};

/// Returns the CDATA section that has the whole text of an element.
pugi::xml_node only_cdata(pugi::xml_node element) {
  pugi::xml_node found;
  for (const auto node : element.children()) {
    const bool is_space = std::string_view(node.value()).find_first_not_of(kAsciiSpace) == std::string_view::npos;
    if (node.type() == pugi::node_pcdata && is_space) continue;
    if (node.type() != pugi::node_cdata || found) return {};
    found = node;
  }
  return found;
}

std::string escape_cdata(std::string text) {
  for (auto place = text.find("]]>"); place != text.npos; place = text.find("]]>", place + 12))
    text.replace(place, 3, "]]]]><![CDATA[>");
  return text;
}

}  // namespace

std::optional<XmlText> read_xml_text(const XmlDocument& document, pugi::xml_node element, const XmlRoles& roles,
                                     const TextFunction& decode) {
  constexpr std::size_t kOpeningBytes = 9, kClosingBytes = 3;  // of <![CDATA[ and ]]>
  XmlTextReader reader(document, roles, decode);
  const auto cdata = only_cdata(element);
  if (cdata) {
    const auto range = document.range(cdata);
    reader.add_cdata({range.begin + kOpeningBytes, range.end - kClosingBytes});
  } else {
    reader.add_children(element);
  }
  auto text = reader.finish();
  if (!text) return std::nullopt;
  return XmlText{std::move(text->source), text->range, static_cast<bool>(cdata)};
}

std::vector<XmlText> read_xml_texts(const XmlDocument& document, pugi::xml_node element, const XmlRoles& roles) {
  const TextFunction no_decode;
  XmlTextReader reader(document, roles, no_decode);
  reader.add_children(element);
  reader.end_text();
  return std::move(reader.texts);
}

TextParts render_xml_text(const XmlText& text, const InlineText& target, const TextFunction& encode) {
  return rendered(target, [&](std::string_view part) {
    auto encoded = encode ? encode(part) : std::string(part);
    return text.is_cdata ? escape_cdata(std::move(encoded)) : escape_xml(encoded);
  });
}

std::vector<Replacement> replace_texts(std::span<const XmlText> texts, std::span<const UnitTranslation> translations,
                                       const TextFunction& encode) {
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!is_unchanged(texts[i].source, translations[i].target))
      replacements.push_back({texts[i].range, render_xml_text(texts[i], translations[i].target, encode)});
  return replacements;
}

std::string start_without(const XmlDocument& document, pugi::xml_node element,
                          std::span<const std::string_view> left_out) {
  auto start = std::string("<") + element.name();
  for (const auto attribute : element.attributes()) {
    if (std::ranges::count(left_out, std::string_view(attribute.name())) > 0) continue;
    const auto* const end = attribute.value() + std::string_view(attribute.value()).size();
    const auto quote = document.bytes()[static_cast<std::size_t>(element.offset_debug() + (end - element.name()))];
    start += std::string(" ") + attribute.name() + '=' + quote + attribute.value() + quote;
  }
  return start;
}

Replacement set_attribute(const XmlDocument& document, pugi::xml_node element, const std::string& name,
                          std::string_view value) {
  if (const auto old = document.attribute_value(element, name)) return {*old, {escape_xml_attribute(value)}};
  auto place = document.start_tag(element).end - 1;
  if (document.bytes()[place - 1] == '/') --place;
  return {{place, place}, {' ' + name + "=\"" + escape_xml_attribute(value) + '"'}};
}

bool has_xml_text(pugi::xml_node element) {
  for (const auto node : element.children()) {
    const bool is_text = node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
    if (is_text && std::string_view(node.value()).find_first_not_of(kAsciiSpace) != std::string_view::npos) return true;
    if (has_xml_text(node)) return true;
  }
  return false;
}

void require_root(const XmlDocument& document, std::string_view name, const DocumentOptions& options) {
  if (document.root().name() != name)
    throw DataError(options.name + ": wanted <" + std::string(name) + "> as the outermost element, got <" +
                    printable(document.root().name(), 40) + ">");
}

void for_each_element(const XmlDocument& document, const std::function<void(pugi::xml_node)>& take) {
  const auto root = document.root();
  for (auto node = root; node;) {
    if (node.type() == pugi::node_element) take(node);
    auto next = node.first_child();
    for (; !next && node != root; node = node.parent()) next = node.next_sibling();
    node = next;
  }
}

}  // namespace gloss
