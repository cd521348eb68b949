#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "common/text/split.h"
#include "common/text/word_boundary.h"
#include "documents/markup/xliff.h"

namespace gloss {
namespace {

using RoleKind = XmlRole::Kind;

/// Returns the code that a placeholder stands for, as far as the file has it: "<b>", "</b>", "<br/>", "{name}".
std::string code_of(pugi::xml_node element) {
  for (const auto* name : {"equiv-text", "disp", "equiv"})
    if (const std::string_view value = element.attribute(name).value(); !value.empty()) return decode_xml(value);
  return decode_xml(element.child_value());
}

/// Returns the role of a tag of HTML. The closing tag has the name of the opening one.
XmlRole role_of_tag(std::string_view tag) {
  constexpr std::array<std::string_view, 5> kVoid = {"br", "hr", "wbr", "img", "input"};
  const bool closes = tag.starts_with("</"), is_empty = tag.ends_with("/>");
  tag.remove_prefix(closes ? 2 : 1);
  const auto name = tag.substr(0, tag.find_first_of(" \t\r\n/>"));
  if (name == "img" || name == "input") return {RoleKind::kWord};
  if (is_empty || std::ranges::find(kVoid, name) != kVoid.end() || name.empty()) return {RoleKind::kMark};
  return {closes ? RoleKind::kClosing : RoleKind::kOpening, "tag " + std::string(name)};
}

/// Returns the role of x and ph. Angular's identifiers are names: START_LINK, CLOSE_LINK, INTERPOLATION.
XmlRole role_of_placeholder(pugi::xml_node element) {
  const auto code = code_of(element);
  if (code.starts_with('<') && code.ends_with('>')) return role_of_tag(code);
  const std::string_view id = element.attribute("id").value(), type = element.attribute("ctype").value();
  if (id.starts_with("START_")) return {RoleKind::kOpening, std::string(id.substr(6))};
  if (id.starts_with("CLOSE_")) return {RoleKind::kClosing, std::string(id.substr(6))};
  const std::string_view sub_type = element.attribute("subType").value();
  const bool is_break = type == "lb" || type == "pb" || type.starts_with("x-br") || sub_type == "xlf:lb" ||
                        sub_type == "xlf:pb" || id.starts_with("LINE_BREAK");
  const bool is_word = type == "image" || sub_type == "xlf:var" || id.starts_with("INTERPOLATION") || id == "ICU" ||
                       code.find_first_of("{%$") != code.npos || has_letter(code);
  return {is_word && !is_break ? RoleKind::kWord : RoleKind::kMark};
}

/// Returns the name that both elements of a pair have.
std::string pair_name(pugi::xml_node element, std::string_view family, const char* reference) {
  const auto attribute = element.attribute(reference);
  return std::string(family) + ' ' + (attribute ? attribute : element.attribute("id")).value();
}

}  // namespace

XmlRole xliff_role(pugi::xml_node element) {
  std::string_view name = element.name();
  name.remove_prefix(name.find(':') + 1);
  if (name == "g" || name == "pc") return {RoleKind::kPair};
  if (name == "mrk") {
    const bool is_kept = element.attribute("mtype").value() == std::string_view("protected") ||
                         element.attribute("translate").value() == std::string_view("no");
    return {is_kept ? RoleKind::kWord : RoleKind::kPair};
  }
  if (name == "bx" || name == "bpt") return {RoleKind::kOpening, pair_name(element, name.substr(0, 1), "rid")};
  if (name == "ex" || name == "ept") return {RoleKind::kClosing, pair_name(element, "b", "rid")};
  if (name == "sc" || name == "sm") return {RoleKind::kOpening, pair_name(element, name.substr(1), "id")};
  if (name == "ec" || name == "em") return {RoleKind::kClosing, pair_name(element, name.substr(1), "startRef")};
  if (name == "x" || name == "ph") return role_of_placeholder(element);
  return {name == "it" || name == "cp" ? RoleKind::kMark : RoleKind::kWord};
}

}  // namespace gloss
