#include <algorithm>
#include <utility>

#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "documents/markup/text_values.h"
#include "documents/markup/xml_inline.h"
#include "documents/markup/xml_strings.h"
#include "documents/model/utf16_escape.h"

namespace gloss {
namespace {

/// Undoes Android's escapes and quotes in the texts of a string, one after the other. White space outside of quotes
/// becomes one space.
class AndroidDecoder {
 public:
  std::string decode(std::string_view text) {
    std::string result;
    for (std::size_t place = 0; place < text.size();) {
      const auto c = text[place];
      if (c == '\\') {
        place += decode_escape(text.substr(place), result);
        continue;
      }
      ++place;
      if (c == '"') {
        is_quoted_ = !is_quoted_;
      } else if (is_quoted_ || kAsciiSpace.find(c) == kAsciiSpace.npos) {
        result += c;
      } else {
        place = std::min(text.find_first_not_of(kAsciiSpace, place), text.size());
        result += ' ';
      }
    }
    return result;
  }

 private:
  /// Appends the character of the escape that the text begins with. Returns its bytes.
  static std::size_t decode_escape(std::string_view text, std::string& result) {
    if (const auto escaped = read_utf16_escape(text)) {
      append_utf8(escaped->value, result);
      return escaped->bytes;
    }
    if (text.size() < 2) return 1;
    result += text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : text[1];
    return 2;
  }

  bool is_quoted_ = false;
};

constexpr std::string_view kAndroidSpace = "\\u0020";

std::string encode_android(std::string_view text) {
  std::string result;
  for (const auto c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\\' || c == '\'' || c == '"')
      result.append({'\\', c});
    else if (c == ' ' && (result.ends_with(' ') || result.ends_with(kAndroidSpace)))
      result += kAndroidSpace;
    else
      result += c;
  }
  return result;
}

/// Escapes what has a meaning at the ends of a string only: spaces, and a reference's @ or ?.
void escape_ends(TextParts& parts) {
  if (parts.empty()) return;
  if (auto* first = std::get_if<std::string>(&parts.front())) {
    if (first->starts_with(' ')) first->replace(0, 1, kAndroidSpace);
    if (first->starts_with('@') || first->starts_with('?')) first->insert(0, "\\");
  }
  if (auto* last = std::get_if<std::string>(&parts.back()); last && last->ends_with(' '))
    last->replace(last->size() - 1, 1, kAndroidSpace);
}

XmlRole android_role(pugi::xml_node element) {
  const std::string_view name = element.name();
  return {name.ends_with(":g") ? XmlRole::Kind::kWord : XmlRole::Kind::kPair};
}

bool is_translatable(pugi::xml_node element) {
  return element.attribute("translatable").value() != std::string_view("false");
}

/// Returns the name of a resource with a text for messages; empty for other elements.
std::string resource_name(pugi::xml_node element) {
  const std::string_view name = element.name(), parent = element.parent().name();
  const auto named = [](pugi::xml_node node) {
    return std::string(node.name()) + ' ' + printable(node.attribute("name").value(), 80);
  };
  if (parent == "resources" && name == "string") return named(element);
  if (name != "item" || (parent != "plurals" && parent != "string-array")) return {};
  const std::string_view quantity = element.attribute("quantity").value();
  return named(element.parent()) + ", item" + (quantity.empty() ? "" : ' ' + printable(quantity, 20));
}

}  // namespace

Passage read_android_strings(std::string bytes, const DocumentOptions& options) {
  Passage passage{std::move(bytes), {}, {}};
  const XmlDocument document(passage.bytes, options.name);
  require_root(document, "resources", options);
  std::vector<XmlText> texts;
  for_each_element(document, [&](pugi::xml_node element) {
    const auto name = resource_name(element);
    if (name.empty() || !is_translatable(element) || !is_translatable(element.parent())) return;
    AndroidDecoder decoder;
    auto text = read_xml_text(document, element, android_role, [&](auto part) { return decoder.decode(part); });
    if (!text) return;
    const auto raw = text->range.of(passage.bytes);
    if ((raw[0] == '@' || raw[0] == '?') && raw.find_first_of(kAsciiSpace) == raw.npos) return;  // a reference
    if (!is_translatable_value(text->source.text)) return;
    passage.units.push_back({name, text->source});
    texts.push_back(std::move(*text));
  });
  if (texts.empty()) return passage;
  passage.render = [texts = std::move(texts)](auto translations) {
    auto replacements = replace_texts(texts, translations, encode_android);
    for (auto& replacement : replacements) escape_ends(replacement.parts);
    return replacements;
  };
  return passage;
}

}  // namespace gloss
