#include "documents/office/word.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/split.h"
#include "documents/office/ooxml_runs.h"
#include "documents/office/styled_paragraph.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

/// Elements of a paragraph that contain runs.
constexpr std::array<std::string_view, 8> kRunContainers{"hyperlink", "ins", "moveTo", "smartTag",
                                                         "customXml", "sdt", "dir",    "bdo"};
/// Elements that have a width.
constexpr std::array<std::string_view, 6> kWordElements{"sym", "object", "fldSimple", "m:oMath", "m:oMathPara", "ruby"};

/// Elements of a run that a new text has no use for. Hyphenation is that of the old words.
constexpr std::array<std::string_view, 3> kLeftOut{"rPr", "lastRenderedPageBreak", "softHyphen"};

bool is_one_of(std::string_view name, const auto& names) { return std::ranges::find(names, name) != names.end(); }

/// Returns whether a field shows text of the document.
bool is_hyperlink_code(std::string_view code) {
  const auto begin = code.find_first_not_of(kAsciiSpace);
  return begin != code.npos && code.substr(begin).starts_with("HYPERLINK");
}

/// Reads one paragraph.
class WordParagraphReader {
 public:
  WordParagraphReader(const XmlDocument& xml, const OoxmlRuns& runs) : xml_(xml), runs_(runs) {}

  StyledParagraph read(pugi::xml_node paragraph) {
    read_children(paragraph);
    auto range = xml_.content(paragraph);
    if (const auto properties = runs_.child(paragraph, "pPr")) range.begin = xml_.range(properties).end;
    return {std::move(pieces_), range};
  }

 private:
  /// A field that was begun in the same parent element and has not ended.
  struct Field {
    std::size_t first_piece;
    std::string code = {};
    bool has_result = false, is_text = false;
  };

  void read_children(pugi::xml_node parent) {
    std::vector<Field> fields;
    for (const auto child : parent.children()) {
      const auto name = runs_.name(child);
      if (child.type() != pugi::node_element || name.ends_with("Pr") || name == "proofErr") continue;
      const bool is_link_field =
          name == "fldSimple" && is_hyperlink_code(child.attribute((name_prefix(child) + "instr").c_str()).value());
      if (name == "r")
        read_run(child, fields);
      else if (is_link_field || is_one_of(name, kRunContainers))
        read_container(child);
      else
        add_element(xml_.range(child), is_one_of(name, kWordElements) ? Kind::kWord : Kind::kMark);
    }
  }

  void read_container(pugi::xml_node container) {
    const auto whole = xml_.range(container);
    const auto inner = runs_.name(container) == "sdt" ? runs_.child(container, "sdtContent") : container;
    if (!inner || xml_.is_empty_tag(inner)) return add_element(whole, Kind::kMark);
    auto content = xml_.content(inner);
    if (const auto first = inner.first_child(); runs_.name(first).ends_with("Pr"))
      content.begin = xml_.range(first).end;
    const auto opening = pieces_.size();
    add_element({whole.begin, content.begin}, Kind::kOpening);
    read_children(inner);
    add_element({content.end, whole.end}, Kind::kClosing);
    pair_pieces(pieces_, opening);
  }

  void read_run(pugi::xml_node run, std::vector<Field>& fields) {
    for (const auto child : run.children()) {
      const auto name = runs_.name(child);
      if (child.type() != pugi::node_element || is_one_of(name, kLeftOut)) continue;
      if (const auto text = text_of(child, name); !text.empty()) {
        pieces_.push_back(runs_.text(run, xml_.range(child), text));
      } else if (name != "t") {
        const bool is_inline = name == "drawing" && std::string_view(child.first_child().name()) == "wp:inline";
        const bool is_word = is_inline || is_one_of(name, kWordElements);
        add_element(xml_.range(child), is_word ? Kind::kWord : Kind::kMark);
        pieces_.back().bytes = runs_.in_run(run, {xml_.range(child)});
        if (name == "fldChar") read_field_character(child, fields);
        if (name == "instrText" && !fields.empty()) fields.back().code += child.child_value();
      }
    }
  }

  /// Returns the text that an element of a run shows; empty for other elements. Breaks of pages are tabs, too.
  static std::string text_of(pugi::xml_node element, std::string_view name) {
    if (name == "noBreakHyphen") return "\u2011";
    if (name == "tab" || name == "ptab") return std::string(kTabText);
    const auto is_other = [](auto attribute) { return attribute.value() != std::string_view("textWrapping"); };
    if (name == "cr" || (name == "br" && !element.find_attribute(is_other))) return "\n";
    if (name == "br") return std::string(kTabText);
    if (name != "t") return {};
    auto text = xml_text(element);
    for (const char c : {'\n', kTabText[0]}) std::ranges::replace(text, c, ' ');
    return text;
  }

  /// Reads the last piece as the beginning, the middle or the end of a field. A hyperlink becomes a pair, another field
  /// a word. The pieces of a field that is not within one parent element stay marks.
  void read_field_character(pugi::xml_node element, std::vector<Field>& fields) {
    const std::string_view type = element.attribute((name_prefix(element) + "fldCharType").c_str()).value();
    if (type == "begin") fields.push_back({pieces_.size() - 1});
    if (fields.empty()) return;
    auto& field = fields.back();
    if (type == "separate" && !std::exchange(field.has_result, true) && is_hyperlink_code(field.code)) {
      field.is_text = true;
      join_pieces(pieces_, field.first_piece, Kind::kMark);
    }
    if (type != "end") return;
    if (field.is_text)
      pair_pieces(pieces_, field.first_piece);
    else
      join_pieces(pieces_, field.first_piece, Kind::kWord);
    fields.pop_back();
  }

  void add_element(TextSpan place, Kind kind) {
    pieces_.push_back({.place = place, .element = kind, .bytes = {place}});
  }

  const XmlDocument& xml_;
  const OoxmlRuns& runs_;
  ParagraphPieces pieces_;
};

}  // namespace

Passage read_word_part(std::string bytes, const DocumentOptions& options) {
  std::vector<StyledParagraph> paragraphs;
  const XmlDocument xml(bytes, options.name);
  const OoxmlRuns runs(xml, name_prefix(xml.root()), OoxmlRuns::LineBreak::kInRun);
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    if (runs.name(element) == "p") paragraphs.push_back(WordParagraphReader(xml, runs).read(element));
    return true;
  });
  return paragraphs_passage(std::move(bytes), std::move(paragraphs), runs.writer());
}

}  // namespace gloss
