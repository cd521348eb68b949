#include "run/config/run_file_keys.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {

const Json* RunFileKeys::find(const std::string& key) const {
  const Json* place = run_file_;
  for (const auto part : split_text(key, '.')) {
    const std::string name(part);
    if (!place->is_object() || !place->contains(name)) return nullptr;
    place = &place->at(name);
  }
  return place;
}

double RunFileKeys::number(const std::string& key, double otherwise) const {
  const auto* value = find(key);
  return value != nullptr && value->is_number() ? value->get<double>() : otherwise;
}

std::int64_t RunFileKeys::whole(const std::string& key, std::int64_t otherwise) const {
  using Int32 = std::numeric_limits<std::int32_t>;
  const auto* value = find(key);
  return value != nullptr && value->is_number_integer()
             ? static_cast<std::int64_t>(std::clamp<double>(value->get<double>(), Int32::min(), Int32::max()))
             : otherwise;
}

bool RunFileKeys::flag(const std::string& key, bool otherwise) const {
  const auto* value = find(key);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : otherwise;
}

std::string RunFileKeys::text(const std::string& key) const {
  const auto* value = find(key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

void set_key(Json& run_file, const std::string& key, Json value) {
  Json* place = &run_file;
  std::string section;
  for (const auto part : split_text(key, '.')) {
    if (place->is_null()) *place = Json::object();
    if (!place->is_object()) throw UsageError(printable(key) + ": " + printable(section) + " is no section");
    place = &(*place)[std::string(part)];
    if (!section.empty()) section += '.';
    section += part;
  }
  *place = std::move(value);
}

}  // namespace gloss
