#include "documents/formats/properties.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "documents/markup/text_values.h"
#include "documents/model/utf16_escape.h"

namespace gloss {
namespace {

constexpr std::string_view kPropertySpace = " \t\f";

/// A value that is translated.
struct PropertyValue {
  TextSpan range;
  std::string text;
  bool doubles_apostrophes = false;
};

std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const auto byte : bytes) append_utf8(static_cast<unsigned char>(byte), text);
  return text;
}

/// Returns the text with each `from` replaced.
std::string with_replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto place = text.find(from); place != text.npos; place = text.find(from, place + to.size()))
    text.replace(place, from.size(), to);
  return text;
}

bool has_argument(std::string_view value) {
  for (std::size_t i = 0; i + 1 < value.size(); ++i)
    if (value[i] == '{' && value[i + 1] >= '0' && value[i + 1] <= '9') return true;
  return false;
}

bool has_single_apostrophe(std::string_view value) {
  return with_replaced(std::string(value), "''", "").find('\'') != std::string::npos;
}

/// Returns whether the value has an apostrophe as MessageFormat does not: "Can't open {0}".
bool has_contraction(std::string_view value) {
  for (std::size_t i = 1; i + 1 < value.size(); ++i)
    if (value[i] == '\'' && is_ascii_letter(value[i - 1]) && is_ascii_letter(value[i + 1])) return true;
  return false;
}

/// Returns the end of a logical line: line ends after a backslash do not count.
std::size_t logical_line_end(std::string_view bytes, std::size_t place) {
  while (place < bytes.size() && bytes[place] != '\n' && bytes[place] != '\r')
    place += bytes[place] != '\\' ? 1 : bytes.substr(place + 1).starts_with("\r\n") ? 3 : 2;
  return std::min(place, bytes.size());
}

/// Returns the end of a key: the first white space, = or : without a backslash.
std::size_t key_end(std::string_view line) {
  std::size_t place = 0;
  while (place < line.size() && kPropertySpace.find(line[place]) == kPropertySpace.npos && line[place] != '=' &&
         line[place] != ':')
    place += line[place] == '\\' ? 2 : 1;
  return std::min(place, line.size());
}

std::size_t skip_property_space(std::string_view line, std::size_t place) {
  return std::min(line.find_first_not_of(kPropertySpace, place), line.size());
}

/// Returns where the value of a logical line begins.
std::size_t value_begin(std::string_view line) {
  auto place = skip_property_space(line, key_end(line));
  if (place < line.size() && (line[place] == '=' || line[place] == ':')) place = skip_property_space(line, place + 1);
  return place;
}

std::string decode_property(std::string_view value) {
  std::string text;
  for (std::size_t place = 0; place < value.size();) {
    const auto c = value[place++];
    if (c != '\\' || place == value.size()) {
      text += c;
      continue;
    }
    if (const auto escaped = read_utf16_escape(value.substr(place - 1))) {
      append_utf8(escaped->value, text);
      place += escaped->bytes - 1;
      continue;
    }
    const auto escaped = value[place++];
    const auto letter = std::string_view("ntrf").find(escaped);
    if (letter != std::string_view::npos) {
      text += "\n\t\r\f"[letter];
    } else if (escaped == '\n' || escaped == '\r') {
      if (escaped == '\r' && value.substr(place).starts_with('\n')) ++place;
      place = skip_property_space(value, place);
    } else {
      text += escaped;
    }
  }
  return text;
}

std::string encode_property(std::string_view text, bool is_ascii) {
  std::string result = text.starts_with(' ') || text.starts_with('=') || text.starts_with(':') ? "\\" : "";
  for_each_character(text, [&](auto value, auto spelling) {
    const auto character = value.value_or(U'\uFFFD');
    const auto escape = std::string_view("\n\t\r\f\\").find(static_cast<char>(character));
    if (character < 0x80 && escape != std::string_view::npos)
      result.append("\\").append(1, "ntrf\\"[escape]);
    else if (character < 0x80 || !is_ascii)
      result += spelling;
    else if (character < 0x10000)
      result += formatted("\\u%04X", static_cast<unsigned>(character));
    else
      result += formatted("\\u%04X\\u%04X", static_cast<unsigned>(0xD800 + ((character - 0x10000) >> 10)),
                          static_cast<unsigned>(0xDC00 + ((character - 0x10000) & 0x3FF)));
  });
  return result;
}

/// Reads the units of a file.
class PropertiesReader {
 public:
  PropertiesReader(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name), is_latin1_(!is_utf8(bytes)) {}

  void read() {
    bool has_contractions = false;
    for (std::size_t place = 0; (place = bytes_.find_first_not_of(" \t\f\r\n", place)) != bytes_.npos;) {
      const auto begin = place;
      const bool is_comment = bytes_[begin] == '#' || bytes_[begin] == '!';
      place =
          is_comment ? std::min(bytes_.find_first_of("\r\n", begin), bytes_.size()) : logical_line_end(bytes_, begin);
      if (is_comment) continue;
      const auto line = bytes_.substr(begin, place - begin);
      const auto text = decoded(line.substr(value_begin(line)));
      if (!is_text(text) || !is_translatable_value(text)) continue;
      if (values.size() == kMaxValues)
        throw DataError(name_ + ": wanted at most " + std::to_string(kMaxValues) + " texts, got more; split the file");
      has_contractions |= has_argument(text) && has_contraction(text);
      values.push_back({{begin + value_begin(line), place}, text, has_argument(text) && !has_single_apostrophe(text)});
      units.push_back({printable(decoded(line.substr(0, key_end(line))), 80), {text, {}}});
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].doubles_apostrophes &= !has_contractions;
      auto& text = units[i].source.text;
      if (values[i].doubles_apostrophes) text = with_replaced(std::move(text), "''", "'");
    }
  }

  std::vector<PropertyValue> values;
  std::vector<Unit> units;

 private:
  std::string decoded(std::string_view part) const {
    return decode_property(is_latin1_ ? from_latin1(part) : std::string(part));
  }

  std::string_view bytes_;
  const std::string& name_;
  bool is_latin1_;
};

}  // namespace

Passage read_properties(std::string bytes, const DocumentOptions& options) {
  if (bytes.find('\0') != bytes.npos)
    throw DataError(options.name + ": wanted .properties in UTF-8 or Latin-1, got a NUL; save it as UTF-8");
  PropertiesReader reader(bytes, options.name);
  reader.read();
  const auto has_characters = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  const bool is_ascii = !is_utf8(bytes) || std::ranges::none_of(bytes, has_characters);
  Passage passage{std::move(bytes), std::move(reader.units), {}};
  passage.render = [values = std::move(reader.values), is_ascii](std::span<const UnitTranslation> translations) {
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto text = with_element_texts(translations[i]).target.text;
      if (values[i].doubles_apostrophes) text = with_replaced(std::move(text), "'", "''");
      if (text != values[i].text) replacements.push_back({values[i].range, {encode_property(text, is_ascii)}});
    }
    return replacements;
  };
  return passage;
}

}  // namespace gloss
