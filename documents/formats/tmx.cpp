#include "documents/formats/tmx.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/files/tmx_reader.h"
#include "common/text/split.h"
#include "documents/markup/document_language.h"
#include "documents/markup/markup_tokenizer.h"
#include "documents/markup/xml_inline.h"

namespace gloss {
namespace {

XmlRole tmx_role(pugi::xml_node element) {
  const std::string_view name = element.name();
  const std::string number = element.attribute("i").value();
  if (name == "hi") return {XmlRole::Kind::kPair};
  if (name == "bpt") return {XmlRole::Kind::kOpening, number};
  if (name == "ept") return {XmlRole::Kind::kClosing, number};
  return {name == "ph" ? XmlRole::Kind::kWord : XmlRole::Kind::kMark};
}

/// The place of a translation, and the bytes around it.
struct TmxPlace {
  TextSpan range;
  std::string before, after;
};

TmxPlace tmx_place(const XmlDocument& document, pugi::xml_node unit, pugi::xml_node target,
                   const std::string& language) {
  if (const auto segment = target.child("seg"); segment && document.is_empty_tag(segment))
    return {document.start_tag(segment), "<seg>", "</seg>"};
  else if (segment)
    return {document.content(segment), "", ""};
  TextSpan last;
  for (const auto variant : unit.children("tuv")) last = document.range(variant);
  const auto unit_content = document.content(unit);
  const auto before = document.bytes().substr(unit_content.begin, last.begin - unit_content.begin);
  const auto white = before.substr(before.find_last_not_of(kAsciiSpace) + 1);  // the indentation of the last <tuv>
  return {{last.end, last.end},
          std::string(white) + "<tuv xml:lang=\"" + escape_xml_attribute(language) + "\"><seg>",
          "</seg></tuv>"};
}

class TmxPassages final : public PassageReader {
 public:
  TmxPassages(DocumentInput input, const DocumentOptions& options) : scanner_(std::move(input)), options_(options) {
    if (options.target_language.empty())
      throw DataError(options.name + ": wanted the target language, because TMX names the language of each text");
  }

  std::optional<Passage> next() override {
    TmxScanner::Part part;
    if (!scanner_.next(part)) return {};
    Passage passage{std::move(part.bytes), {}, {}};
    if (part.is_unit)
      add_unit(passage);
    else
      read_header(passage.bytes);
    return passage;
  }

 private:
  /// Reads the source language. A declared encoding, such as US-ASCII, becomes that of the translation.
  void read_header(std::string& bytes) {
    const auto encoding = quoted_value(bytes, "<?xml", "encoding");
    if (is_other_charset(encoding.of(bytes))) bytes.replace(encoding.begin, encoding.size(), "UTF-8");
    const auto language = quoted_value(bytes, "<header", "srclang").of(bytes);
    if (language != "*all*") require_language(language, options_.source_language, "source", options_);
    if (options_.source_language.empty() && language != "*all*") options_.source_language = language;
  }

  void add_unit(Passage& passage) const {
    const XmlDocument document(passage.bytes, scanner_.where() + "a unit");
    const auto unit = document.root();
    const auto source = tmx_variant(unit, options_.source_language);
    const auto target = tmx_variant(unit, options_.target_language, source);
    if (!source) return;
    const auto segment = source.child("seg");
    const auto text = read_xml_text(document, segment, tmx_role);
    const bool is_empty = !target.child("seg").first_child();
    if (!text || (!is_empty && !options_.overwrite_translations)) return;
    auto place = tmx_place(document, unit, target, options_.target_language);
    passage.units.push_back({"line " + std::to_string(scanner_.line()), text->source});
    // White space and codes at the ends of the source are not in its unit.
    const auto content = document.content(segment);
    passage.render = [text = *text, place = std::move(place), content](std::span<const UnitTranslation> translations) {
      TextParts parts{place.before, TextSpan{content.begin, text.range.begin}};
      std::ranges::move(render_xml_text(text, translations[0].target), std::back_inserter(parts));
      parts.insert(parts.end(), {TextSpan{text.range.end, content.end}, place.after});
      return std::vector<Replacement>{{place.range, std::move(parts)}};
    };
  }

  TmxScanner scanner_;
  DocumentOptions options_;
};

}  // namespace

std::unique_ptr<PassageReader> read_tmx(DocumentInput input, const DocumentOptions& options) {
  return std::make_unique<TmxPassages>(std::move(input), options);
}

}  // namespace gloss
