#include "documents/office/ooxml.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "documents/markup/text_values.h"
#include "documents/office/ooxml_runs.h"
#include "documents/office/styled_paragraph.h"
#include "documents/office/word.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

/// Ends of content types. Documents with macros and templates have other beginnings than usual ones.
constexpr std::array<std::string_view, 9> kWordTypes{
    "wordprocessingml.document.main+xml", "ms-word.document.macroEnabled.main+xml",
    "wordprocessingml.template.main+xml", "ms-word.template.macroEnabledTemplate.main+xml",
    "wordprocessingml.header+xml",        "wordprocessingml.footer+xml",
    "wordprocessingml.footnotes+xml",     "wordprocessingml.endnotes+xml",
    "wordprocessingml.comments+xml"};
constexpr std::array<std::string_view, 6> kDrawingTypes{
    "presentationml.slide+xml",  "presentationml.notesSlide+xml",          "drawingml.chart+xml",
    "drawingml.diagramData+xml", "ms-office.drawingml.diagramDrawing+xml", "officedocument.drawing+xml"};
constexpr std::array<std::string_view, 2> kStringTypes{"spreadsheetml.sharedStrings+xml", "spreadsheetml.comments+xml"};

/// The format of a string without runs. No format of a run is equal to it.
constexpr std::string_view kNoRun = "no run";
/// How Excel writes CR, which stands before line ends.
constexpr std::string_view kReturn = "_x000D_";

/// Adds the text of a run.
void add_drawing_run(const XmlDocument& xml, const OoxmlRuns& runs, pugi::xml_node run, ParagraphPieces& pieces) {
  const auto add = [&](TextSpan place, std::string text) {
    pieces.push_back(runs.text(run, place, std::move(text)));
    pieces.back().bytes = runs.in_run(run, {"<a:t>", place, "</a:t>"});
  };
  for (const auto node : runs.child(run, "t").children()) {
    const auto whole = xml.range(node);
    if (node.type() == pugi::node_cdata && *node.value()) add(whole, node.value());
    if (node.type() != pugi::node_pcdata) continue;
    for (auto begin = whole.begin; begin < whole.end;) {
      const bool is_tab = xml.bytes()[begin] == '\t';
      const TextSpan place{begin, is_tab ? begin + 1 : std::min(xml.bytes().find('\t', begin), whole.end)};
      add(place, is_tab ? std::string(kTabText) : decode_xml(place.of(xml.bytes())));
      begin = place.end;
    }
  }
}

StyledParagraph read_drawing_paragraph(const XmlDocument& xml, const OoxmlRuns& runs, pugi::xml_node paragraph) {
  ParagraphPieces pieces;
  auto range = xml.content(paragraph);
  for (const auto child : paragraph.children()) {
    if (child.type() != pugi::node_element) continue;
    const auto name = runs.name(child);
    const auto place = xml.range(child);
    if (name == "pPr") {
      range.begin = place.end;
    } else if (name == "endParaRPr") {
      range.end = place.begin;
    } else if (name == "r") {
      add_drawing_run(xml, runs, child, pieces);
    } else if (name == "br") {
      pieces.push_back(runs.text(child, place, "\n"));
      pieces.back().bytes = {place};
    } else {
      pieces.push_back({.place = place, .element = Kind::kWord, .bytes = {place}});
    }
  }
  return {std::move(pieces), range};
}

/// Reads a string: a text (t), or runs of text (r). Readings of Japanese (rPh) are left out when it is written.
ParagraphPieces read_string(const XmlDocument& xml, const OoxmlRuns& runs, pugi::xml_node string) {
  ParagraphPieces pieces;
  for (const auto child : string.children()) {
    const auto name = runs.name(child);
    const auto text = name == "r" ? runs.child(child, "t") : name == "t" ? child : pugi::xml_node();
    auto value = xml_text(text);
    if (value.empty()) continue;
    for (auto at = value.find(kReturn); at != value.npos; at = value.find(kReturn, at)) value.erase(at, kReturn.size());
    pieces.push_back(runs.text(child, xml.range(text), std::move(value)));
    if (name == "r") continue;
    pieces.back().format = kNoRun;
    pieces.back().bytes = {xml.range(text)};
  }
  return pieces;
}

std::string text_of_pieces(const ParagraphPieces& pieces) {
  std::string text;
  for (const auto& piece : pieces) text += piece.text;
  return text;
}

/// Adds the names of the columns of a table.
void add_table_columns(const std::string& bytes, const std::string& name, std::set<std::string>& columns) {
  const XmlDocument xml(bytes, name);
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    if (!std::string_view(element.name()).ends_with("tableColumn")) return true;
    auto column = decode_xml(element.attribute("name").value());
    constexpr std::string_view kLineEnd = "_x000a_";
    for (auto at = column.find(kLineEnd); at != column.npos; at = column.find(kLineEnd, at))
      column.replace(at, kLineEnd.size(), "\n");
    columns.insert(std::move(column));
    return false;
  });
}

}  // namespace

Passage read_drawing_part(std::string bytes, const DocumentOptions& options) {
  std::vector<StyledParagraph> paragraphs;
  const XmlDocument xml(bytes, options.name);
  const OoxmlRuns runs(xml, "a:", OoxmlRuns::LineBreak::kBetweenRuns);
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    if (runs.name(element) != "p") return true;
    paragraphs.push_back(read_drawing_paragraph(xml, runs, element));
    return false;
  });
  return paragraphs_passage(std::move(bytes), std::move(paragraphs), runs.writer());
}

Passage read_spreadsheet_part(std::string bytes, const DocumentOptions& options, const std::set<std::string>& kept) {
  std::vector<StyledParagraph> strings;
  const XmlDocument xml(bytes, options.name);
  const auto prefix = name_prefix(xml.root());
  const OoxmlRuns runs(xml, prefix, OoxmlRuns::LineBreak::kCharacter);
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    const auto name = runs.name(element);
    if (name != "si" && name != "is" && name != "text") return true;
    auto pieces = read_string(xml, runs, element);
    const auto text = text_of_pieces(pieces);
    if (!kept.contains(text) && is_translatable_value(text))
      strings.emplace_back(std::move(pieces), xml.content(element));
    return false;
  });
  const auto write = [prefix, in_run = runs.writer()](auto text, const auto& format, auto& written) {
    if (format.format != kNoRun) return in_run(text, format, written);
    written.emplace_back("<" + prefix + "t xml:space=\"preserve\">" + escape_xml(text) + "</" + prefix + "t>");
  };
  return paragraphs_passage(std::move(bytes), std::move(strings), write);
}

std::vector<ZipPart> ooxml_parts(const ReadEntry& read, const DocumentOptions& options) {
  const auto types = read("[Content_Types].xml");
  if (!types) throw DataError(options.name + ": wanted an Office document with [Content_Types].xml, got none");
  const XmlDocument xml(*types, options.name + ": [Content_Types].xml");
  const auto columns = std::make_shared<std::set<std::string>>();
  std::vector<ZipPart> parts;
  for (const auto child : xml.root().children()) {
    // Some programs state the type of word/document.xml as that of all XML.
    const bool is_default = child.attribute("Extension").value() == std::string_view("xml");
    auto name = is_default ? "/word/document.xml" : decode_xml(child.attribute("PartName").value());
    if (!name.starts_with('/')) continue;
    name.erase(0, 1);
    const std::string_view type = child.attribute("ContentType").value();
    const auto is_one_of = [&](const auto& ends) {
      return std::ranges::any_of(ends, [&](auto end) { return type.ends_with(end); });
    };
    if (is_one_of(kWordTypes)) parts.push_back({name, read_word_part});
    if (is_one_of(kDrawingTypes)) parts.push_back({name, read_drawing_part});
    const bool is_sheet = type.ends_with("spreadsheetml.worksheet+xml");
    if (is_sheet || is_one_of(kStringTypes))
      parts.push_back({name, [=](std::string bytes, const DocumentOptions& part) {
                         // Most sheets have numbers of shared strings only; they are large.
                         if (is_sheet && bytes.find("inlineStr") == bytes.npos) return Passage{};
                         return read_spreadsheet_part(std::move(bytes), part, *columns);
                       }});
    if (type.ends_with("package.core-properties+xml"))
      parts.push_back({name, [](std::string bytes, const DocumentOptions& part) {
                         return read_text_elements(std::move(bytes), part, "dc:title");
                       }});
    if (!type.ends_with("spreadsheetml.table+xml")) continue;
    if (const auto bytes = read(name)) add_table_columns(*bytes, options.name, *columns);
  }
  return parts;
}

}  // namespace gloss
