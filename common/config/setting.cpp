#include "common/config/setting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "common/text/split.h"

namespace gloss {
namespace {

/// Returns short decimal text: 1000000, 0.98.
std::string text_of(double number) {
  constexpr double kExact = 1LL << 53;
  if (std::abs(number) <= kExact && number == std::floor(number))
    return std::to_string(static_cast<std::int64_t>(number));
  return to_text(number);
}

std::string range_text(const Range& range, bool whole) {
  const bool has_min = std::isfinite(range.min), has_max = std::isfinite(range.max);
  const std::string number = whole ? "a whole number" : "a number";
  if (!has_min && !has_max) return number;
  const auto min = text_of(range.min), max = text_of(range.max);
  if (!has_max) return range.above_min ? number + " above " + min : min + " or more";
  if (range.above_min) return number + " above " + min + ", at most " + max;
  return number + " from " + min + (range.below_max ? " to below " : " to ") + max;
}

}  // namespace

std::string Setting::name() const {
  return section.empty() ? std::string(key) : std::string(section) + '.' + std::string(key);
}

std::string Setting::wanted_text() const {
  if (!wanted.empty()) return std::string(wanted);
  switch (type) {
    case SettingType::kWholeNumber:
      return range_text(range, true);
    case SettingType::kNumber:
      return range_text(range, false);
    case SettingType::kSwitch:
      return "true or false";
    case SettingType::kTexts:
      return "a list of strings";
    case SettingType::kObjects:
      return "a list of objects";
    case SettingType::kChoice: {
      std::string names;
      for (const auto choice : choices) names.append(names.empty() ? "" : ", ").append(choice);
      return "one of " + names;
    }
    default:
      return "a string";
  }
}

std::string values_text(const Setting& setting) {
  if (setting.type == SettingType::kPath) return "a file";
  auto text = setting.wanted_text();
  for (const std::string_view article : {"a whole number from ", "a number from ", "a number ", "one of "})
    if (text.starts_with(article)) return text.substr(article.size());
  return text;
}

Json value_at(const Json& object, std::string_view dotted_key) {
  const auto dot = dotted_key.find('.');
  const auto found = object.find(dotted_key.substr(0, dot));
  if (found == object.end()) return nullptr;
  return dot == dotted_key.npos ? *found : value_at(*found, dotted_key.substr(dot + 1));
}

void set_value_at(Json& object, std::string_view dotted_key, Json value) {
  const auto dot = dotted_key.find('.');
  auto& place = object[std::string(dotted_key.substr(0, dot))];
  if (dot == dotted_key.npos)
    place = std::move(value);
  else
    set_value_at(place, dotted_key.substr(dot + 1), std::move(value));
}

Json parse_value(const Setting& setting, const std::string& text) {
  Json value;
  if (setting.type == SettingType::kWholeNumber) {
    if (const auto number = parse_number<std::int64_t>(text)) value = *number;
  } else if (setting.type == SettingType::kNumber) {
    if (const auto number = parse_number<double>(text); number && std::isfinite(*number)) value = *number;
  } else if (setting.type == SettingType::kChoice) {
    if (std::ranges::find(setting.choices, text) != setting.choices.end()) value = text;
  } else {
    value = text;
  }
  if (value.is_null() || (value.is_number() && !setting.range.contains(value.get<double>())))
    throw std::invalid_argument(setting.wanted_text());
  return value;
}

}  // namespace gloss
