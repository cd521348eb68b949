#include "common/config/json.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

// Iterates over the text and stores its place in `consumed`, from which the builder below reads it.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* place, const char** consumed) : place_(place), consumed_(consumed) {}
  reference operator*() const { return *place_; }
  Cursor& operator++() {
    *consumed_ = ++place_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return place_ == other.place_; }
  bool operator!=(const Cursor& other) const { return place_ != other.place_; }

 private:
  const char* place_;
  const char** consumed_;
};

[[noreturn]] void fail(std::string_view text, std::size_t offset, const std::string& what) {
  const auto before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto column = 1 + count_code_points(before.substr(before.rfind('\n') + 1));
  throw std::invalid_argument("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
}

// Returns the parser's message without its error number and its position.
std::string reason(std::string_view what) {
  if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
  if (const auto end = what.find(": "); what.starts_with("parse error") && end != what.npos)
    what.remove_prefix(end + 2);
  return printable(what, 200);
}

// Builds the value from the parser's events. The library's own builder accepts repeated keys without a fault and, with
// a callback, takes time quadratic in the number of members.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const JsonLimits& limits)
      : text_(text), max_depth_(static_cast<std::size_t>(limits.depth)), max_values_(limits.values) {}

  Json build() {
    Json::sax_parse(Cursor(consumed_, &consumed_), Cursor(consumed_ + text_.size(), &consumed_), this);
    return std::move(root_);
  }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // not in text
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    levels_.back().key = name;
    if (levels_.back().value->contains(name)) fail_here("repeated key \"" + printable(dotted(), 200) + '"');
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    fail_here(reason(error.what()));
  }

 private:
  struct Level {
    Json* value;
    std::string key;  // empty in an array
  };

  bool put(Json value) {
    const bool is_light = !levels_.empty() && levels_.back().value->is_array() && !value.is_string();
    place(is_light ? 1 : kPartsOfValue) = std::move(value);
    return true;
  }

  bool open(Json value) {
    if (levels_.size() == max_depth_) fail_here("nested deeper than " + std::to_string(max_depth_) + " levels");
    auto& opened = place(kPartsOfValue);
    opened = std::move(value);
    levels_.push_back({&opened, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  // Returns the place of the next value, which counts as so many eighths of one.
  Json& place(std::size_t parts) {
    if ((parts_ += parts) / kPartsOfValue > max_values_)
      fail_here("more than " + std::to_string(max_values_) + " values");
    if (levels_.empty()) return root_;
    auto& [value, key] = levels_.back();
    return value->is_array() ? value->emplace_back() : (*value)[key];
  }

  std::string dotted() const {
    std::string name;
    for (const auto& level : levels_) {
      if (!name.empty() && !level.key.empty()) name += '.';
      name += level.key;
    }
    return name;
  }

  // Throws with the place of the last character that the parser has read.
  [[noreturn]] void fail_here(const std::string& what) const {
    const auto offset = static_cast<std::size_t>(consumed_ - text_.data());
    fail(text_, offset == 0 ? 0 : offset - 1, what);
  }

  std::string_view text_;
  static constexpr std::size_t kPartsOfValue = 8;
  std::size_t max_depth_, max_values_, parts_ = 0;
  const char* consumed_ = text_.data();
  Json root_;
  std::vector<Level> levels_;
};

/// Returns JSON text in which no program finds other line ends than those of the layout: the line separators outside of
/// ASCII, which can only stand in strings, are escaped as the library escapes control characters.
std::string dumped(const Json& value, int indent) {
  auto text = value.dump(indent, ' ', false, Json::error_handler_t::replace);
  for (const auto& [separator, escape] : {std::pair<std::string_view, std::string_view>{"\u0085", "\\u0085"},
                                          {"\u2028", "\\u2028"},
                                          {"\u2029", "\\u2029"}})
    for (std::size_t at = 0; (at = text.find(separator, at)) != text.npos;) text.replace(at, separator.size(), escape);
  return text;
}

}  // namespace

Json parse_json(std::string_view text, int max_depth) { return parse_json(text, JsonLimits{.depth = max_depth}); }

Json parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.starts_with("\xef\xbb\xbf"))
    fail(text, 0, "JSON begins without a byte order mark; save the file without it");
  if (const auto offset = first_invalid_utf8(text)) fail(text, *offset, "not UTF-8");
  if (const auto offset = text.find('\0'); offset != text.npos)
    fail(text, offset, "a NUL byte");  // would end the input
  return Builder(text, limits).build();
}

std::string to_text(const Json& value) { return dumped(value, -1); }

std::string to_pretty_text(const Json& value) { return dumped(value, 2) + '\n'; }

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : to_text(value); }

}  // namespace gloss
