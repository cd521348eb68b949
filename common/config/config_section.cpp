#include "common/config/config_section.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/text/printable.h"

namespace gloss {
namespace {

// Returns the number of edits between two names: a letter inserted, removed, replaced, or swapped with its neighbor.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, row);
  }
  return last.back();
}

template <typename Names>
std::string list(const Names& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace

ConfigSection::ConfigSection(const Json& value, std::string path) : object_(&value), path_(std::move(path)) {
  require(value.is_object(), path_.empty() ? "configuration" : path_, "an object", value);
}

template <typename T, typename Fits>
void ConfigSection::read_as(std::string_view key, T& value, std::string_view wanted, Fits fits) {
  const auto* found = find(key);
  if (found == nullptr) return;
  require(fits(*found), name(key), wanted, *found);
  value = found->get<T>();
}

void ConfigSection::read(std::string_view key, std::int64_t& value) {
  read_as(key, value, "a whole number", [](const Json& json) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= kMax);
  });
}

void ConfigSection::read(std::string_view key, double& value) {
  read_as(key, value, "a number",
          [](const Json& json) { return json.is_number() && std::isfinite(json.get<double>()); });
}

void ConfigSection::read(std::string_view key, bool& value) {
  read_as(key, value, "true or false", [](const Json& json) { return json.is_boolean(); });
}

void ConfigSection::read(std::string_view key, std::string& value) {
  auto text = value;
  read_as(key, text, "a string", [](const Json& json) { return json.is_string(); });
  require(text.find('\0') == text.npos, name(key), "a string without NUL", text);
  value = std::move(text);
}

void ConfigSection::read(std::string_view key, std::vector<std::string>& value) {
  read_as(key, value, "a list of strings", [](const Json& json) {
    return json.is_array() && std::ranges::all_of(json, [](const Json& text) { return text.is_string(); });
  });
}

void ConfigSection::read(std::string_view key, std::optional<bool>& value) { read_optional(key, value); }
void ConfigSection::read(std::string_view key, std::optional<std::int64_t>& value) { read_optional(key, value); }
void ConfigSection::read(std::string_view key, std::optional<double>& value) { read_optional(key, value); }

ConfigSection ConfigSection::section(std::string_view key) {
  static const Json kEmpty = Json::object();
  const auto* found = find(key);
  return {found == nullptr ? kEmpty : *found, name(key)};
}

std::vector<ConfigSection> ConfigSection::sections(std::string_view key) {
  std::vector<ConfigSection> objects;
  const auto* found = find(key);
  if (found == nullptr) return objects;
  require(found->is_array(), name(key), "a list of objects", *found);
  for (const auto& object : *found)
    objects.emplace_back(object, name(key) + '[' + std::to_string(objects.size()) + ']');
  return objects;
}

bool ConfigSection::has(std::string_view key) const { return object_->contains(key); }

void ConfigSection::finish() const {
  for (const auto& [key, value] : object_->items()) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    const auto nearest = nearest_name(key, known_);
    throw UsageError(printable(name(key)) + ": unknown key; " +
                     (nearest ? "did you mean \"" + name(*nearest) + "\"?" : "known here: " + list(known_)));
  }
}

template <typename T>
void ConfigSection::read_optional(std::string_view key, std::optional<T>& value) {
  if (find(key) == nullptr) return;
  T given = {};
  read(key, given);
  value = given;
}

const Json* ConfigSection::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  const auto found = object_->find(key);
  return found == object_->end() ? nullptr : &*found;
}

std::optional<std::size_t> ConfigSection::read_choice(std::string_view key, std::span<const std::string_view> names) {
  const auto* found = find(key);
  if (found == nullptr) return std::nullopt;
  const auto wanted = "one of " + list(names);
  require(found->is_string(), name(key), wanted, *found);
  const auto choice = std::ranges::find(names, found->get_ref<const std::string&>());
  require(choice != names.end(), name(key), wanted, *found);
  return static_cast<std::size_t>(choice - names.begin());
}

std::string ConfigSection::name(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
}

void require(bool holds, std::string_view key, std::string_view wanted, const Json& got) {
  if (!holds) require(false, key, Message{std::string(wanted)}, got);
}

void require(bool holds, std::string_view key, const Message& wanted, const Json& got) {
  if (holds) return;
  Message message{Key{printable(key)}, ": wanted "};
  message.insert(message.end(), wanted.begin(), wanted.end());
  message.emplace_back(", got " + printable(to_text(got), 80));
  throw UsageError(std::move(message));
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kMaxNameLength = 64;  // longer names are not compared; bounds the work
  std::optional<std::string> nearest;
  std::size_t best = std::numeric_limits<std::size_t>::max();
  for (const auto& candidate : candidates) {
    if (std::max(name.size(), candidate.size()) > kMaxNameLength) continue;
    const auto near_enough = std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
    const auto distance = edit_distance(name, candidate);
    if (distance <= near_enough && distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace gloss
