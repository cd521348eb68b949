#include "documents/markup/xml_strings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/text/printable.h"
#include "common/text/split.h"
#include "documents/markup/document_language.h"
#include "documents/markup/text_values.h"
#include "documents/markup/xml_inline.h"

namespace gloss {
namespace {

XmlRole role_of_code(pugi::xml_node element) {
  return {element.name() == std::string_view("byte") ? XmlRole::Kind::kMark : XmlRole::Kind::kWord};
}

/// Returns whether the value of an entry of .resx is a text of the user interface. Names that begin with >> are facts
/// of a designer. Those that begin with $ are properties of a form, of which the title is one.
bool is_resx_text(pugi::xml_node data) {
  const auto name = decode_xml(data.attribute("name").value());
  const std::string_view comment = data.child("comment").child_value();
  return !data.attribute("type") && !data.attribute("mimetype") && !name.starts_with(">>") &&
         (!name.starts_with('$') || name == "$this.Text") && comment.find("{Locked}") == comment.npos;
}

/// A <translation> of Qt.
struct QtTranslation {
  XmlText text;
  TextSpan content;   ///< of the source
  TextSpan range;     ///< replaced
  std::string start;  ///< of its start tag
  int forms = 0;      ///< plural forms; 0: it has none
};

/// Returns the number of plural forms that Qt has for a language.
int qt_plural_forms(std::string_view language) {
  using Languages = std::array<std::string_view, 15>;
  static constexpr std::array<std::pair<int, Languages>, 5> kForms = {
      {{1, {"fa", "hu", "id", "ja", "ko", "ms", "my", "th", "tr", "vi", "zh"}},
       {3, {"be", "bs", "cs", "ga", "hr", "lt", "lv", "mi", "mk", "pl", "ro", "ru", "sk", "sr", "uk"}},
       {4, {"gd", "mt", "sl"}},
       {5, {"cy"}},
       {6, {"ar"}}}};
  const auto code = language.substr(0, language.find_first_of("-_"));
  for (const auto& [forms, languages] : kForms)
    if (!code.empty() && std::ranges::count(languages, code) > 0) return forms;
  return 2;
}

Replacement render_qt(const QtTranslation& message, const InlineText& target) {
  Replacement result{message.range, {message.start + " type=\"unfinished\">"}};
  const auto content = render_xml_text(message.text, target);
  for (int form = 0; form < std::max(message.forms, 1); ++form) {
    if (message.forms > 0) result.parts.emplace_back("\n            <numerusform>");
    result.parts.emplace_back(TextSpan{message.content.begin, message.text.range.begin});
    result.parts.insert(result.parts.end(), content.begin(), content.end());
    result.parts.emplace_back(TextSpan{message.text.range.end, message.content.end});
    if (message.forms > 0) result.parts.emplace_back("</numerusform>");
  }
  result.parts.emplace_back(message.forms > 0 ? "\n        </translation>" : "</translation>");
  return result;
}

}  // namespace

Passage read_resx(std::string bytes, const DocumentOptions& options) {
  Passage passage{std::move(bytes), {}, {}};
  const XmlDocument document(passage.bytes, options.name);
  require_root(document, "root", options);
  std::vector<XmlText> texts;
  for (const auto data : document.root().children("data")) {
    if (!is_resx_text(data)) continue;
    auto text = read_xml_text(document, data.child("value"), role_of_code);
    if (!text || !is_translatable_value(text->source.text)) continue;
    passage.units.push_back({"data " + printable(data.attribute("name").value(), 80), text->source});
    texts.push_back(std::move(*text));
  }
  if (texts.empty()) return passage;
  passage.render = [texts = std::move(texts)](auto translations) { return replace_texts(texts, translations); };
  return passage;
}

Passage read_qt_ts(std::string bytes, const DocumentOptions& options) {
  static constexpr std::array<std::string_view, 1> kType = {"type"};
  Passage passage{std::move(bytes), {}, {}};
  const XmlDocument document(passage.bytes, options.name);
  require_root(document, "TS", options);
  const std::string_view language = document.root().attribute("language").value();
  require_language(document.root().attribute("sourcelanguage").value(), options.source_language, "source", options);
  require_language(language, options.target_language, "target", options);
  const auto new_language = language.empty() ? options.target_language : std::string(language);
  std::vector<QtTranslation> messages;
  std::string context;
  for_each_element(document, [&](pugi::xml_node message) {
    if (message.name() == std::string_view("context")) context = printable(message.child("name").child_value(), 80);
    const auto source = message.child("source"), translation = message.child("translation");
    const std::string_view type = translation.attribute("type").value();
    if (message.name() != std::string_view("message") || !source) return;
    if (type == "vanished" || type == "obsolete" || translation.attribute("variants")) return;
    if (has_xml_text(translation) && !options.overwrite_translations) return;
    auto text = read_xml_text(document, source, role_of_code);
    if (!text) return;
    const auto old_forms = std::ranges::distance(translation.children("numerusform"));
    const int forms = language.empty() || old_forms == 0 ? qt_plural_forms(new_language) : static_cast<int>(old_forms);
    const bool has_forms = message.attribute("numerus").value() == std::string_view("yes");
    auto last = message.last_child();
    while (last.type() != pugi::node_element) last = last.previous_sibling();
    const auto end = document.range(last).end;
    const auto range = translation ? document.range(translation) : TextSpan{end, end};
    const std::string_view space = source.previous_sibling().value();  // the indentation
    auto start = translation                                          ? start_without(document, translation, kType)
                 : space.find_first_not_of(kAsciiSpace) == space.npos ? std::string(space) + "<translation"
                                                                      : "<translation";
    messages.push_back({std::move(*text), document.content(source), range, std::move(start), has_forms ? forms : 0});
    passage.units.push_back({"message of " + context, messages.back().text.source});
  });
  if (messages.empty()) return passage;
  std::vector<Replacement> attributes;
  if (language.empty() && !options.target_language.empty()) {
    auto name = options.target_language;
    std::ranges::replace(name, '-', '_');
    attributes.push_back(set_attribute(document, document.root(), "language", name));
  }
  passage.render = [messages = std::move(messages), attributes](std::span<const UnitTranslation> translations) {
    auto replacements = attributes;
    for (std::size_t i = 0; i < messages.size(); ++i)
      replacements.push_back(render_qt(messages[i], translations[i].target));
    return replacements;
  };
  return passage;
}

}  // namespace gloss
