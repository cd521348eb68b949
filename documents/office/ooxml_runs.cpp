#include "documents/office/ooxml_runs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "common/text/split.h"

namespace gloss {
namespace {

/// Properties of text that nobody sees: its language, and what the spelling check has found.
constexpr std::array<std::string_view, 9> kUnseen{"lang",     "altLang", "noProof", "dirty",    "err",
                                                  "smtClean", "smtId",   "bmk",     "rPrChange"};

bool is_seen(std::string_view local_name) { return std::ranges::find(kUnseen, local_name) == kUnseen.end(); }

std::string_view local_name_of(std::string_view name) {
  const auto colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

/// Returns the bytes of an element without the attribute that names the script which Word took the text for.
std::string without_font_hint(std::string_view element) {
  std::string bytes(element);
  if (const auto hint = bytes.find(" w:hint="); hint != bytes.npos)
    bytes.erase(hint, bytes.find('"', hint + 9) - hint + 1);
  return bytes == "<w:rFonts/>" ? "" : bytes;
}

bool keeps_spaces(std::string_view text) {
  return text.starts_with(' ') || text.ends_with(' ') || text.find("  ") != text.npos || text.find('\n') != text.npos;
}

}  // namespace

std::string name_prefix(pugi::xml_node element) {
  const std::string name = element.name();
  return name.substr(0, name.find(':') == name.npos ? 0 : name.find(':') + 1);
}

std::string_view OoxmlRuns::name(pugi::xml_node element) const {
  std::string_view name = element.name();
  if (name.starts_with(prefix_)) name.remove_prefix(prefix_.size());
  return name;
}

std::string OoxmlRuns::format_of(pugi::xml_node properties) const {
  std::string format;
  for (const auto attribute : properties.attributes())
    if (is_seen(attribute.name())) format.append(attribute.name()).append("=").append(attribute.value()).append(" ");
  for (const auto child : properties.children())
    if (child.type() == pugi::node_element && is_seen(local_name_of(child.name())))
      format += without_font_hint(xml_.range(child).of(xml_.bytes()));
  return short_format(std::move(format));
}

DocumentBytes OoxmlRuns::in_run(pugi::xml_node run, DocumentBytes content) const {
  DocumentBytes bytes{"<" + prefix_ + "r>"};
  if (const auto properties = child(run, "rPr")) bytes.emplace_back(xml_.range(properties));
  std::ranges::move(content, std::back_inserter(bytes));
  bytes.emplace_back("</" + prefix_ + "r>");
  return bytes;
}

ParagraphPiece OoxmlRuns::text(pugi::xml_node run, TextSpan element, std::string text) const {
  ParagraphPiece piece{.place = element, .bytes = in_run(run, {element}), .text = std::move(text)};
  const auto properties = child(run, "rPr");
  piece.format = format_of(properties);
  if (properties) piece.properties = {xml_.range(properties)};
  return piece;
}

TextWriter OoxmlRuns::writer() const {
  const auto begin = "<" + prefix_ + "r>", end = "</" + prefix_ + "t></" + prefix_ + "r>", line_break = prefix_ + "br";
  return [=, prefix = prefix_, kind = line_break_](std::string_view text, const auto& format, auto& bytes) {
    const auto add_properties = [&] { std::ranges::copy(format.properties, std::back_inserter(bytes)); };
    const auto lines = kind == LineBreak::kCharacter ? std::vector{text} : split_text(text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) {
        bytes.emplace_back(kind == LineBreak::kInRun ? begin : "<" + line_break + ">");
        add_properties();
        bytes.emplace_back(kind == LineBreak::kInRun ? "<" + line_break + "/></" + prefix + "r>"
                                                     : "</" + line_break + ">");
      }
      if (lines[i].empty()) continue;
      const bool states_spaces = kind != LineBreak::kBetweenRuns && keeps_spaces(lines[i]);
      bytes.emplace_back(begin);
      add_properties();
      bytes.emplace_back("<" + prefix + (states_spaces ? "t xml:space=\"preserve\">" : "t>") + escape_xml(lines[i]));
      bytes.emplace_back(end);
    }
  };
}

}  // namespace gloss
