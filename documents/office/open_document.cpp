#include "documents/office/open_document.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/split.h"
#include "documents/markup/xml_document.h"
#include "documents/office/styled_paragraph.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

/// Formats of the automatic styles of text, by their names.
using SpanFormats = std::map<std::string, std::string, std::less<>>;

/// Returns whether a property of text is visible. LibreOffice makes styles that differ in an editing session only.
bool is_visible_property(std::string_view name) {
  return name.find("rsid") == name.npos && name.find("language") == name.npos && name.find("country") == name.npos;
}

SpanFormats span_formats(pugi::xml_node root) {
  SpanFormats formats;
  for (const auto style : root.child("office:automatic-styles").children("style:style")) {
    if (style.attribute("style:family").value() != std::string_view("text")) continue;
    std::string format = style.attribute("style:parent-style-name").value();
    for (const auto attribute : style.child("style:text-properties").attributes())
      if (is_visible_property(attribute.name()))
        format.append(" ").append(attribute.name()).append("=").append(attribute.value());
    formats.emplace(style.attribute("style:name").value(), std::move(format));
  }
  return formats;
}

/// Reads one paragraph. A run of white space is one space; text:s elements are further ones.
class OpenDocumentParagraphReader {
 public:
  OpenDocumentParagraphReader(const XmlDocument& xml, const SpanFormats& formats) : xml_(xml), formats_(formats) {}

  StyledParagraph read(pugi::xml_node paragraph) {
    read_children(paragraph);
    return {std::move(pieces_), xml_.content(paragraph)};
  }

 private:
  void read_children(pugi::xml_node parent) {
    for (const auto child : parent.children()) {
      const std::string_view name = child.name();
      if (child.type() == pugi::node_pcdata)
        add_text(collapsed(decode_xml(child.value())), xml_.range(child));
      else if (child.type() == pugi::node_cdata)
        add_text(collapsed(child.value()), xml_.range(child));
      else if (child.type() != pugi::node_element)
        continue;
      else if (name == "text:span")
        read_span(child);
      else if (name == "text:a" || name == "text:meta")
        read_link(child);
      else
        read_element(child, name);
    }
  }

  void read_span(pugi::xml_node span) {
    const std::string_view name = span.attribute("text:style-name").value();
    const auto known = formats_.find(name);
    auto format = short_format(format_ + (known == formats_.end() ? "/" + std::string(name) : known->second));
    const bool is_visible = format != format_;
    if (is_visible) tags_.push_back(xml_.start_tag(span));
    std::swap(format, format_);
    read_children(span);
    std::swap(format, format_);
    if (is_visible) tags_.pop_back();
  }

  void read_link(pugi::xml_node link) {
    if (xml_.is_empty_tag(link)) return add_element(link, Kind::kMark);
    const auto opening = pieces_.size();
    const auto begin = xml_.start_tag(link), end = xml_.end_tag(link);
    pieces_.push_back({.place = begin, .element = Kind::kOpening, .bytes = {begin}});
    read_children(link);
    pieces_.push_back({.place = end, .element = Kind::kClosing, .bytes = {end}});
    pair_pieces(pieces_, opening);
  }

  void read_element(pugi::xml_node element, std::string_view name) {
    constexpr std::size_t kMaxSpaces = 1000;
    const auto place = xml_.range(element);
    if (name == "text:s") {
      const auto count = parse_number<std::size_t>(element.attribute("text:c").value()).value_or(1);
      if (count <= kMaxSpaces) return add_text(std::string(count, ' '), place);
    }
    after_space_ = false;
    if (name == "text:line-break") return add_text("\n", place);
    if (name == "text:tab") return add_text(std::string(kTabText), place);
    const bool is_drawing = name.starts_with("draw:"), is_note = name == "text:note" || name == "office:annotation";
    const bool is_inline = element.attribute("text:anchor-type").value() == std::string_view("as-char");
    const bool is_field = !is_drawing && !is_note && !element.first_child().empty();
    add_element(element, is_inline || is_field ? Kind::kWord : Kind::kMark);
  }

  std::string collapsed(std::string_view text) {
    std::string result;
    for (const auto c : text) {
      const bool is_space = kAsciiSpace.find(c) != kAsciiSpace.npos;
      if (!is_space || !after_space_) result += is_space ? ' ' : c;
      after_space_ = is_space;
    }
    return result;
  }

  void add_text(std::string text, TextSpan place) {
    if (text.empty()) return;
    pieces_.push_back(
        {.place = place, .bytes = in_spans(place), .text = std::move(text), .format = format_, .properties = tags_});
  }

  void add_element(pugi::xml_node element, Kind kind) {
    const auto place = xml_.range(element);
    pieces_.push_back({.place = place, .element = kind, .bytes = in_spans(place)});
  }

  DocumentBytes in_spans(TextSpan place) const {
    DocumentBytes bytes(tags_.begin(), tags_.end());
    bytes.emplace_back(place);
    for (std::size_t i = 0; i < tags_.size(); ++i) bytes.emplace_back("</text:span>");
    return bytes;
  }

  const XmlDocument& xml_;
  const SpanFormats& formats_;
  ParagraphPieces pieces_;
  std::string format_;          ///< of the open spans
  std::vector<TextSpan> tags_;  ///< of these, without spans that nobody sees
  bool after_space_ = true;
};

/// Returns whether the last text that was written ends with something else than a space.
bool ends_with_word(const DocumentBytes& bytes) {
  for (auto i = bytes.size(); i-- > 0;) {
    const auto* text = std::get_if<std::string>(&bytes[i]);
    if (text && !text->starts_with('<')) return !text->ends_with(' ');
  }
  return false;
}

/// Writes texts and markup as different parts, for ends_with_word.
void write_spaced_text(std::string_view text, const ParagraphPiece& format, DocumentBytes& bytes) {
  bool after_space = !ends_with_word(bytes);
  std::string plain;
  const auto add_markup = [&](std::string_view markup) {
    if (!plain.empty()) bytes.emplace_back(escape_xml(std::exchange(plain, {})));
    if (!markup.empty()) bytes.emplace_back(std::string(markup));
  };
  std::ranges::copy(format.properties, std::back_inserter(bytes));
  for (const auto c : text) {
    if (c == '\n') {
      add_markup("<text:line-break/>");
    } else if (c == ' ' && after_space) {
      add_markup("<text:s/>");
    } else {
      plain += c;
    }
    after_space = c == ' ' || c == '\n';
  }
  add_markup({});
  for (std::size_t i = 0; i < format.properties.size(); ++i) bytes.emplace_back("</text:span>");
}

Passage read_title(std::string bytes, const DocumentOptions& options) {
  return read_text_elements(std::move(bytes), options, "dc:title");
}

}  // namespace

Passage read_open_document_part(std::string bytes, const DocumentOptions& options) {
  std::vector<StyledParagraph> paragraphs;
  const XmlDocument xml(bytes, options.name);
  const auto formats = span_formats(xml.root());
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    const std::string_view name = element.name();
    if (name == "text:p" || name == "text:h")
      paragraphs.push_back(OpenDocumentParagraphReader(xml, formats).read(element));
    return name != "text:tracked-changes";
  });
  return paragraphs_passage(std::move(bytes), std::move(paragraphs), write_spaced_text);
}

std::vector<ZipPart> open_document_parts(const ReadEntry& read, const DocumentOptions& options) {
  const auto manifest = read("META-INF/manifest.xml");
  if (manifest && manifest->find("encryption-data") != manifest->npos)
    throw DataError(options.name + ": wanted a document without a password, got an encrypted one; save it without one");
  return {{"content.xml", read_open_document_part}, {"styles.xml", read_open_document_part}, {"meta.xml", read_title}};
}

}  // namespace gloss
