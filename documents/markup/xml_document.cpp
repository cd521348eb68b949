#include "documents/markup/xml_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <utility>

#include "common/error.h"
#include "common/text/letter_case.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "documents/model/passage.h"

namespace gloss {
namespace {

/// Everything is kept as it stands, so that each byte of an element belongs to a node.
constexpr unsigned kParseFlags = pugi::parse_ws_pcdata | pugi::parse_comments | pugi::parse_pi | pugi::parse_cdata |
                                 pugi::parse_doctype | pugi::parse_declaration;

/// Returns the end of a start tag, given a byte after its <.
std::size_t start_tag_end(std::string_view bytes, std::size_t place) {
  while (place < bytes.size() && bytes[place] != '>') {
    const auto byte = bytes[place++];
    if (byte == '"' || byte == '\'') place = bytes.find(byte, place) + 1;
  }
  return place + 1;
}

/// Returns the character of a reference without & and ;, or 0 if XML does not name one.
char32_t referenced_character(std::string_view name) {
  if (name == "amp") return U'&';
  if (name == "lt") return U'<';
  if (name == "gt") return U'>';
  if (name == "quot") return U'"';
  if (name == "apos") return U'\'';
  if (!name.starts_with('#')) return 0;
  const bool is_hex = name.starts_with("#x");
  const auto digits = name.substr(is_hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return 0;
  const bool is_control = value < 0x20 && value != '\t' && value != '\n' && value != '\r';
  const bool is_character = value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF) && (value & 0xFFFE) != 0xFFFE;
  return is_character && !is_control ? static_cast<char32_t>(value) : 0;
}

/// The last two are escaped in attributes only.
constexpr std::array<std::pair<char, std::string_view>, 8> kEscapes = {{{'&', "&amp;"},
                                                                        {'<', "&lt;"},
                                                                        {'>', "&gt;"},
                                                                        {'"', "&quot;"},
                                                                        {'\'', "&apos;"},
                                                                        {'\t', "&#9;"},
                                                                        {'\n', "&#10;"},
                                                                        {'\r', "&#13;"}}};

std::string escaped_xml(std::string_view text, std::size_t escapes) {
  std::string result;
  for (const auto c : text) {
    const auto* const end = kEscapes.begin() + escapes;
    const auto* const found =
        std::find_if(kEscapes.begin(), end, [c](const auto& escape) { return escape.first == c; });
    result += found == end ? std::string_view(&c, 1) : found->second;
  }
  return result;
}

}  // namespace

XmlDocument::XmlDocument(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  if (bytes.size() > kMaxTreeBytes)
    throw DataError(name_ + ": wanted XML of at most " + std::to_string(kMaxTreeBytes) + " bytes, got " +
                    std::to_string(bytes.size()) + "; split the document");
  if (!is_text(bytes)) throw DataError(name_ + ": wanted XML in UTF-8 or UTF-16 without NUL; save it as UTF-8");
  const auto result = tree_.load_buffer(bytes.data(), bytes.size(), kParseFlags, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  if (!result)
    throw DataError(name_ + ": byte " + std::to_string(result.offset) +
                    ": wanted well-formed XML, got: " + result.description());
  check_encoding();
  find_ranges();
}

void XmlDocument::check_encoding() const {
  const auto declaration = tree_.first_child();
  if (declaration.type() != pugi::node_declaration) return;
  const std::string encoding = declaration.attribute("encoding").value(), lower = lower_ascii(encoding);
  if (lower.empty() || lower == "utf-8" || lower == "utf8" || lower.starts_with("utf-16")) return;
  throw DataError(name_ + ": wanted XML in UTF-8 or UTF-16, got encoding=\"" + printable(encoding, 40) +
                  "\"; save it as UTF-8");
}

XmlDocument::Ranges XmlDocument::opened(pugi::xml_node node) const {
  const auto key = static_cast<std::size_t>(node.offset_debug());
  const auto value_end = key + std::string_view(node.value()).size();  // of nodes whose key is the place of the value
  std::size_t begin = key, end = value_end;
  switch (node.type()) {
    case pugi::node_element:
      begin = key - 1;
      end = start_tag_end(bytes_, key);
      break;
    case pugi::node_pi:
    case pugi::node_declaration:
      begin = key - 2;
      end = bytes_.find("?>", key) + 2;
      break;
    case pugi::node_comment:
      begin = key - 4;
      end = value_end + 3;
      break;
    case pugi::node_cdata:
      begin = key - 9;
      end = value_end + 3;
      break;
    case pugi::node_doctype:
      begin = bytes_.rfind("<!", key);
      end = value_end + 1;
      break;
    default:
      break;
  }
  const auto small = [](std::size_t place) { return static_cast<std::uint32_t>(place); };
  return {small(key), small(begin), small(end), small(end), small(end)};
}

void XmlDocument::find_ranges() {
  std::vector<std::size_t> open;  // indexes of elements
  std::uint32_t place = 0;
  bool has_root = false;
  for (auto node = tree_.first_child(); node;) {
    if (open.empty() && node.type() == pugi::node_element && std::exchange(has_root, true))
      throw DataError(name_ + ": byte " + std::to_string(node.offset_debug()) +
                      ": wanted one element that contains all others, got a second one");
    ranges_.push_back(opened(node));
    place = ranges_.back().end;
    const bool is_closed = node.type() != pugi::node_element || bytes_[place - 2] == '/';
    if (!is_closed) open.push_back(ranges_.size() - 1);
    if (open.size() > kMaxDepth)
      throw DataError(name_ + ": byte " + std::to_string(place) + ": wanted at most " + std::to_string(kMaxDepth) +
                      " elements within each other, got more");
    auto next = node.first_child();
    for (bool ended = is_closed; !next && node; node = node.parent(), ended = false) {
      if (!ended && node != tree_) {
        auto& element = ranges_[open.back()];
        open.pop_back();
        element.content_end = place;
        element.end = place = static_cast<std::uint32_t>(bytes_.find('>', place) + 1);
      }
      next = node.next_sibling();
    }
    node = next;
  }
}

const XmlDocument::Ranges& XmlDocument::ranges_of(pugi::xml_node node) const {
  const auto key = static_cast<std::uint32_t>(node.offset_debug());
  const auto found = std::ranges::lower_bound(ranges_, key, {}, &Ranges::key);
  if (found == ranges_.end() || found->key != key) throw Error(ExitCode::kFault, name_ + ": node of another document");
  return *found;
}

TextSpan XmlDocument::range(pugi::xml_node node) const {
  const auto& ranges = ranges_of(node);
  return {ranges.begin, ranges.end};
}

TextSpan XmlDocument::content(pugi::xml_node element) const {
  const auto& ranges = ranges_of(element);
  return {ranges.content_begin, ranges.content_end};
}

TextSpan XmlDocument::start_tag(pugi::xml_node element) const {
  const auto& ranges = ranges_of(element);
  return {ranges.begin, ranges.content_begin};
}

TextSpan XmlDocument::end_tag(pugi::xml_node element) const {
  const auto& ranges = ranges_of(element);
  return {ranges.content_end, ranges.end};
}

std::optional<TextSpan> XmlDocument::attribute_value(pugi::xml_node element, std::string_view name) const {
  for (const auto attribute : element.attributes()) {
    if (name != attribute.name()) continue;
    const auto* const buffer = element.name() - element.offset_debug();
    const auto begin = static_cast<std::size_t>(attribute.value() - buffer);
    return TextSpan{begin, begin + std::string_view(attribute.value()).size()};
  }
  return {};
}

std::string decode_xml(std::string_view bytes) {
  constexpr std::size_t kMaxReference = 12;  // more zeros than anyone writes
  std::string result;
  for (std::size_t place = 0; place < bytes.size();) {
    const auto end = bytes[place] == '&' ? bytes.substr(place, kMaxReference).find(';') : bytes.npos;
    const auto character = end == bytes.npos ? 0 : referenced_character(bytes.substr(place + 1, end - 1));
    if (character == 0) {
      result += bytes[place++];
      continue;
    }
    append_utf8(character, result);
    place += end + 1;
  }
  return result;
}

std::string xml_text(pugi::xml_node element) {
  std::string text;
  for (const auto node : element.children()) {
    if (node.type() == pugi::node_pcdata) text += decode_xml(node.value());
    if (node.type() == pugi::node_cdata) text += node.value();
  }
  return text;
}

std::string escape_xml(std::string_view text) { return escaped_xml(text, 3); }

std::string escape_xml_attribute(std::string_view text) { return escaped_xml(text, kEscapes.size()); }

}  // namespace gloss
