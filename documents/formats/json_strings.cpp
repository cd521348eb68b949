#include "documents/formats/json_strings.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text/printable.h"
#include "documents/markup/text_values.h"

namespace gloss {
namespace {

using nlohmann::json;

struct JsonValue {
  TextSpan range;  ///< with its quotes
  std::string text, path;
  bool is_locale = false;     ///< of ARB
  bool is_attribute = false;  ///< of ARB: in a key that begins with @
  bool is_message = false;    ///< of an extension: the "message" of a top-level key
};

/// Collects the string values from the parser's events.
class JsonCollector final : public nlohmann::json_sax<json> {
 public:
  JsonCollector(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {
    json::sax_parse(bytes, this);
  }

  std::vector<JsonValue> values;
  bool is_arb = false;
  bool is_extension() const { return messages_ > 0 && messages_ == members_; }

  bool null() override { return end_value(); }
  bool boolean(bool) override { return end_value(); }
  bool number_integer(number_integer_t) override { return end_value(); }
  bool number_unsigned(number_unsigned_t) override { return end_value(); }
  bool number_float(number_float_t, const string_t&) override { return end_value(); }
  bool binary(binary_t&) override { return false; }  // not in text
  bool start_object(std::size_t) override { return open(/*is_list=*/false); }
  bool start_array(std::size_t) override { return open(/*is_list=*/true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    levels_.back().key = name;
    if (levels_.size() == 1) ++members_;
    is_arb = is_arb || (levels_.size() == 1 && name == "@@locale");
    next_string();
    return true;
  }

  bool string(string_t& text) override {
    JsonValue value{.range = next_string(), .text = std::move(text), .path = path()};
    if (!levels_.empty() && !levels_[0].is_list) {
      const auto& key = levels_[0].key;
      value.is_locale = levels_.size() == 1 && key == "@@locale";
      value.is_attribute = key.starts_with('@');
      value.is_message = levels_.size() == 2 && !levels_[1].is_list && levels_[1].key == "message";
      messages_ += value.is_message ? 1 : 0;
    }
    if (values.size() == kMaxValues)
      fail(value.range.begin, "wanted at most " + std::to_string(kMaxValues) + " texts, got more");
    values.push_back(std::move(value));
    return end_value();
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string_view what = error.what();
    const auto reason = what.rfind(": ", what.find("syntax error"));
    fail(position, "wanted JSON, got a fault: " + printable(what.substr(reason == what.npos ? 0 : reason + 2), 200));
  }

 private:
  struct Level {
    bool is_list = false;
    std::size_t index = 0;
    std::string key, path;
  };

  /// Returns the bytes of the next key or text: between two of them there are no quotes.
  TextSpan next_string() {
    const auto begin = bytes_.find('"', ended_);
    for (ended_ = begin + 1; bytes_[ended_] != '"'; ++ended_)
      if (bytes_[ended_] == '\\') ++ended_;
    return {begin, ++ended_};
  }

  bool end_value() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  bool open(bool is_list) {
    if (levels_.size() == kMaxDepth) fail(ended_, "wanted at most " + std::to_string(kMaxDepth) + " levels, got more");
    levels_.push_back({.is_list = is_list, .key = {}, .path = path()});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return end_value();
  }

  /// Returns the path of the next value. Its length is limited.
  std::string path() const {
    if (levels_.empty()) return {};
    const auto& [is_list, index, key, parent] = levels_.back();
    if (is_list) return printable(parent + '[' + std::to_string(index) + ']', 200);
    return printable(parent.empty() ? key : parent + '.' + key, 200);
  }

  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    const auto line = 1 + std::ranges::count(bytes_.substr(0, position), '\n');
    throw DataError(name_ + ": line " + std::to_string(line) + ": " + what);
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t ended_ = 0;  ///< the byte after the last key or text
  std::vector<Level> levels_;
  std::size_t members_ = 0, messages_ = 0;
};

std::string quoted_json(std::string_view text, bool ascii) {
  return json(text).dump(-1, ' ', ascii, json::error_handler_t::replace);
}

/// Returns whether a document has no characters but ASCII, and escapes of others.
bool escapes_others(std::string_view bytes, const std::vector<JsonValue>& values) {
  const auto is_ascii = [](std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; });
  };
  return is_ascii(bytes) && !std::ranges::all_of(values, is_ascii, &JsonValue::text);
}

}  // namespace

Passage read_json(std::string bytes, const DocumentOptions& options) {
  Passage passage{.bytes = std::move(bytes), .units = {}, .render = {}};
  JsonCollector collector(passage.bytes, options.name);
  const bool is_arb = collector.is_arb || options.name.ends_with(".arb");
  const bool ascii = escapes_others(passage.bytes, collector.values);
  std::vector<JsonValue> values;
  std::vector<Replacement> fixed;
  for (auto& value : collector.values) {
    if (is_arb && value.is_locale && !options.target_language.empty()) {
      auto locale = options.target_language;
      std::ranges::replace(locale, '-', '_');
      fixed.push_back({value.range, {quoted_json(locale, ascii)}});
    }
    const bool is_skipped = (is_arb && value.is_attribute) || (collector.is_extension() && !value.is_message);
    if (is_skipped || !is_translatable_value(value.text)) continue;
    passage.units.push_back({.id = value.path, .source = {value.text, {}}});
    values.push_back(std::move(value));
  }
  if (values.empty()) return passage;
  passage.render = [values = std::move(values), fixed = std::move(fixed), ascii](auto translations) {
    auto replacements = fixed;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const auto text = with_element_texts(translations[i]).target.text; text != values[i].text)
        replacements.push_back({values[i].range, {quoted_json(text, ascii)}});
    return replacements;
  };
  return passage;
}

}  // namespace gloss
