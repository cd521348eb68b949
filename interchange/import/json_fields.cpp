#include "interchange/import/json_fields.h"

#include <stdexcept>

#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/formats/model_text.h"

namespace gloss {

Json read_json_object(const std::filesystem::path& path, std::size_t limit) {
  const auto name = printable(path.string());
  Json json;
  try {
    json = parse_json(read_model_text(path, limit));
  } catch (const std::invalid_argument& error) {
    throw ModelError(name + ": " + error.what());
  }
  if (!json.is_object()) throw ModelError(name + ": wanted an object { ... }, got " + json.type_name());
  return json;
}

Json read_json_object_if_there(const std::filesystem::path& path, std::size_t limit) {
  return std::filesystem::exists(path) ? read_json_object(path, limit) : Json::object();
}

const Json* JsonFields::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool JsonFields::has(const char* key) const { return find(key) != nullptr; }

void JsonFields::expect(bool holds, const char* key, const std::string& wanted) {
  if (holds) return;
  const auto* const value = find(key);
  refusals_.add(std::string(key) + ": wanted " + wanted + ", got " +
                (value == nullptr ? "nothing" : printable(to_text(*value), 80)));
}

std::optional<std::int64_t> JsonFields::optional_integer(const char* key, std::int64_t min, std::int64_t max) {
  const auto* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() || value->get<std::uint64_t>() < (1ULL << 62)) &&
                    value->get<std::int64_t>() >= min && value->get<std::int64_t>() <= max;
  expect(fits, key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return fits ? std::optional(value->get<std::int64_t>()) : std::nullopt;
}

std::int64_t JsonFields::integer(const char* key, std::int64_t min, std::int64_t max, std::int64_t fallback) {
  return optional_integer(key, min, max).value_or(fallback);
}

double JsonFields::number(const char* key, double min, double max, double fallback) {
  const auto* const value = find(key);
  if (value == nullptr) return fallback;
  const bool fits = value->is_number() && value->get<double>() >= min && value->get<double>() <= max;
  expect(fits, key, "a number from " + to_text(min) + " to " + to_text(max));
  return fits ? value->get<double>() : fallback;
}

bool JsonFields::flag(const char* key, bool fallback) {
  const auto* const value = find(key);
  if (value == nullptr) return fallback;
  expect(value->is_boolean(), key, "true or false");
  return value->is_boolean() ? value->get<bool>() : fallback;
}

std::string JsonFields::text(const char* key, const std::string& fallback) {
  const auto* const value = find(key);
  if (value == nullptr) return fallback;
  expect(value->is_string(), key, "a text");
  return value->is_string() ? value->get<std::string>() : fallback;
}

}  // namespace gloss
