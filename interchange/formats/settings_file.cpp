#include "interchange/formats/settings_file.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "interchange/formats/packed_file.h"

namespace gloss {
namespace {

// Return the value that a text spells; other texts as they are.
template <typename Number>
Json number_of(const std::string& text) {
  const auto number = parse_number<Number>(text);
  return number ? Json(*number) : Json(text);
}

Json flag_of(const std::string& text) {
  auto word = text;  // YAML has true, True and TRUE
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (word == "true" || word == "yes" || word == "on" || word == "y") return true;
  if (word == "false" || word == "no" || word == "off" || word == "n") return false;
  return text;
}

Json text_of(const std::string& text) { return text; }

}  // namespace

std::string read_model_text(const std::filesystem::path& path, std::size_t limit) {
  try {
    if (unpacked_path(path) == path) return read_file(path, limit);
    const auto file = open_unpacked(path, limit);
    std::string text(file.size, '\0');
    read_up_to(file.descriptor, 0, std::as_writable_bytes(std::span(text)), path);
    return text;
  } catch (const DataError& error) {
    throw ModelError(error.what());
  }
}

Json parse_model_json(std::string_view text, const std::string& name, int max_depth) {
  try {
    return parse_json(text, max_depth);
  } catch (const std::invalid_argument& error) {
    throw ModelError(name + ": " + error.what());
  }
}

Json parse_json_object(std::string_view text, const std::string& name) {
  auto json = parse_model_json(text, name);
  if (!json.is_object()) throw ModelError(name + ": wanted an object { ... }, got " + json.type_name());
  return json;
}

Json read_json_object(const std::filesystem::path& path, std::size_t limit) {
  return parse_json_object(read_model_text(path, limit), printable(path.string()));
}

Json read_json_object_if_there(const std::filesystem::path& path, std::size_t limit) {
  return std::filesystem::exists(path) ? read_json_object(path, limit) : Json::object();
}

const Json* JsonFields::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

Json JsonFields::value(const char* key, Json (*spelled)(const std::string&)) {
  const auto* const found = find(key);
  if (found == nullptr) return nullptr;
  if (shown_ == nullptr) return *found;
  (*read_)[key] = shown_->at(key);
  return found->is_string() ? spelled(found->get_ref<const std::string&>()) : *found;
}

bool JsonFields::has(const char* key) const { return find(key) != nullptr; }

void JsonFields::expect(bool holds, const char* key, const std::string& wanted) {
  if (holds) return;
  const auto* const value = find(key);
  const auto got = value == nullptr ? "nothing" : shown_ == nullptr ? to_text(*value) : value_text(shown_->at(key));
  refusals_.add(std::string(key) + ": wanted " + wanted + ", got " + printable(got, 80));
}

std::optional<std::int64_t> JsonFields::optional_integer(const char* key, std::int64_t min, std::int64_t max) {
  const auto number = value(key, number_of<std::int64_t>);
  if (number.is_null()) return std::nullopt;
  const bool fits = number.is_number_integer() &&
                    (!number.is_number_unsigned() || number.get<std::uint64_t>() < (1ULL << 62)) &&
                    number.get<std::int64_t>() >= min && number.get<std::int64_t>() <= max;
  expect(fits, key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return fits ? std::optional(number.get<std::int64_t>()) : std::nullopt;
}

std::int64_t JsonFields::integer(const char* key, std::int64_t min, std::int64_t max, std::int64_t fallback) {
  return optional_integer(key, min, max).value_or(fallback);
}

double JsonFields::number(const char* key, double min, double max, double fallback) {
  const auto number = value(key, number_of<double>);
  if (number.is_null()) return fallback;
  const bool fits = number.is_number() && number.get<double>() >= min && number.get<double>() <= max;
  expect(fits, key, "a number from " + to_text(min) + " to " + to_text(max));
  return fits ? number.get<double>() : fallback;
}

bool JsonFields::flag(const char* key, bool fallback) {
  const auto flag = value(key, flag_of);
  expect(flag.is_null() || flag.is_boolean(), key, "true or false");
  return flag.is_boolean() ? flag.get<bool>() : fallback;
}

std::string JsonFields::text(const char* key, const std::string& fallback) {
  const auto text = value(key, text_of);
  expect(text.is_null() || text.is_string(), key, "a text");
  return text.is_string() ? text.get<std::string>() : fallback;
}

std::vector<std::int64_t> JsonFields::integers(const char* key) {
  std::vector<std::int64_t> integers;
  for (const auto& item : list(key, number_of<std::int64_t>)) {
    expect(item.is_number_integer(), key, "a list of whole numbers");
    if (!item.is_number_integer()) return {};
    integers.push_back(item.get<std::int64_t>());
  }
  return integers;
}

std::vector<std::string> JsonFields::texts(const char* key) {
  std::vector<std::string> texts;
  for (const auto& item : list(key, text_of)) {
    expect(item.is_string(), key, "a list of texts");
    if (!item.is_string()) return {};
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::vector<Json> JsonFields::list(const char* key, Json (*spelled)(const std::string&)) {
  auto values = value(key, spelled);
  if (values.is_null()) return {};
  if (!values.is_array()) return {std::move(values)};
  std::vector<Json> items(values.begin(), values.end());
  for (auto& item : items)
    if (item.is_string() && shown_ != nullptr) item = spelled(item.get<std::string>());
  return items;
}

}  // namespace gloss
