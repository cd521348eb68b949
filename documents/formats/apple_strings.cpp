#include "documents/formats/apple_strings.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "documents/markup/text_values.h"
#include "documents/model/utf16_escape.h"

namespace gloss {
namespace {

/// Reads up to three octal digits and moves `place` after them.
char32_t octal_escape(std::string_view text, std::size_t& place) {
  char32_t value = 0;
  for (const auto end = std::min(text.size(), place + 3); place < end && text[place] >= '0' && text[place] <= '7';
       ++place)
    value = value * 8 + static_cast<char32_t>(text[place] - '0');
  return value;
}

std::string decode_apple(std::string_view bytes) {
  std::string text;
  for (std::size_t place = 0; place < bytes.size();) {
    const auto c = bytes[place++];
    if (c != '\\' || place == bytes.size()) {
      text += c;
      continue;
    }
    const auto escaped = bytes[place];
    const auto letter = std::string_view("ntrabfv").find(escaped);
    if (escaped >= '0' && escaped <= '7') {
      append_utf8(octal_escape(bytes, place), text);
    } else if (const auto character = read_utf16_escape(bytes.substr(place - 1))) {
      append_utf8(character->value, text);
      place += character->bytes - 1;
    } else {
      ++place;
      text += letter == std::string_view::npos ? escaped : "\n\t\r\a\b\f\v"[letter];
    }
  }
  return text;
}

std::string encode_apple(std::string_view text) {
  std::string result;
  for (const auto c : text) {
    const auto letter = std::string_view("\n\t\r\\\"").find(c);
    if (letter == std::string_view::npos)
      result += c;
    else
      result.append("\\").append(1, "ntr\\\""[letter]);
  }
  return result;
}

/// A value that is translated.
struct AppleValue {
  TextSpan range;  ///< between its quotation marks
  std::string text;
};

class AppleStringsReader {
 public:
  AppleStringsReader(std::string_view bytes, const DocumentOptions& options) : bytes_(bytes), options_(options) {}

  void read() {
    for (skip_comments(); place_ < bytes_.size(); skip_comments()) {
      const auto key = word("a key");
      if (skip('=')) add(key, word("a value"));
      if (!skip(';')) fail("; after a value");
    }
  }

  std::vector<Unit> units;
  std::vector<AppleValue> values;

 private:
  void add(TextSpan key, TextSpan value) {
    auto text = decode_apple(value.of(bytes_));
    const auto quote = bytes_[value.begin - 1];  // a bare word, or one in single quotes, stays
    if (quote != '"' || !is_text(text) || !is_translatable_value(text)) return;
    if (values.size() == kMaxValues) fail("at most " + std::to_string(kMaxValues) + " texts");
    values.push_back({value, text});
    units.push_back({printable(decode_apple(key.of(bytes_)), 80), {std::move(text), {}}});
  }

  void skip_comments() {
    for (;;) {
      place_ = std::min(bytes_.find_first_not_of(kAsciiSpace, place_), bytes_.size());
      const auto rest = bytes_.substr(place_);
      if (!rest.starts_with("/*") && !rest.starts_with("//")) return;
      const auto end = rest[1] == '*' ? bytes_.find("*/", place_ + 2) : bytes_.find_first_of("\r\n", place_);
      if (end == bytes_.npos && rest[1] == '*') fail("*/ after /*");
      place_ = rest[1] == '*' ? end + 2 : std::min(end, bytes_.size());
    }
  }

  bool skip(char c) {
    skip_comments();
    const bool has_it = place_ < bytes_.size() && bytes_[place_] == c;
    if (has_it) ++place_;
    return has_it;
  }

  /// Reads a string within quotation marks, or a bare word.
  TextSpan word(const std::string& wanted) {
    skip_comments();
    const auto quote = place_ < bytes_.size() ? bytes_[place_] : '\0';
    if (quote != '"' && quote != '\'') {
      const auto begin = place_;
      while (place_ < bytes_.size() && is_bare(bytes_[place_])) ++place_;
      if (place_ == begin) fail(wanted);
      return {begin, place_};
    }
    const auto begin = ++place_;
    while (place_ < bytes_.size() && bytes_[place_] != quote) place_ += bytes_[place_] == '\\' ? 2 : 1;
    if (place_ >= bytes_.size()) {
      place_ = begin;
      fail("a quotation mark after a string");
    }
    return {begin, place_++};
  }

  static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_$/:.-").find(c) != std::string_view::npos;
  }

  [[noreturn]] void fail(const std::string& wanted) const {
    const auto line = std::ranges::count(bytes_.substr(0, place_), '\n') + 1;
    throw DataError(options_.name + ": line " + std::to_string(line) + ": wanted " + wanted + ", got " +
                    printable(bytes_.substr(place_, 40)) + "; plutil -lint checks .strings files");
  }

  std::string_view bytes_;
  const DocumentOptions& options_;
  std::size_t place_ = 0;
};

}  // namespace

Passage read_apple_strings(std::string bytes, const DocumentOptions& options) {
  AppleStringsReader reader(bytes, options);
  reader.read();
  Passage passage{std::move(bytes), std::move(reader.units), {}};
  passage.render = [values = std::move(reader.values)](std::span<const UnitTranslation> translations) {
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto text = with_element_texts(translations[i]).target.text;
      if (text != values[i].text) replacements.push_back({values[i].range, {encode_apple(text)}});
    }
    return replacements;
  };
  return passage;
}

}  // namespace gloss
