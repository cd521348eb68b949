#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/json.h"
#include "common/error.h"

namespace gloss {

/// Names of the values of an enumeration, as the configuration spells them.
template <typename E>
using Choices = std::span<const std::pair<std::string_view, E>>;

/// One object of a configuration, read strictly. Each `read` takes one key, leaves the default if the key is absent,
/// and throws UsageError with the dotted key if the type is wrong. `finish` throws UsageError with the nearest known
/// key, dotted, if a key was never read. The struct's own validate() checks ranges.
class ConfigSection {
 public:
  /// `path` is the dotted name of this object, empty for the whole file. Throws UsageError unless `value` is an object.
  ConfigSection(const Json& value, std::string path);

  void read(std::string_view key, std::int64_t& value);  ///< whole numbers only: 3.5, 1e30 and "3" are refused
  void read(std::string_view key, double& value);        ///< any finite number
  void read(std::string_view key, bool& value);
  void read(std::string_view key, std::string& value);
  void read(std::string_view key, std::vector<std::string>& value);
  void read(std::string_view key, std::optional<bool>& value);
  void read(std::string_view key, std::optional<std::int64_t>& value);
  void read(std::string_view key, std::optional<double>& value);

  /// Reads one of the named values; the error lists them all.
  template <typename E>
  void read(std::string_view key, E& value, Choices<E> choices) {
    std::vector<std::string_view> names;
    for (const auto& [name, meaning] : choices) names.push_back(name);
    if (const auto index = read_choice(key, names)) value = choices[*index].second;
  }

  /// Returns the object under `key`, an empty one if it is absent. Throws UsageError for any other type.
  ConfigSection section(std::string_view key);
  /// Returns the objects of the list under `key`, named "key[0]" and so on; an empty list if it is absent. Throws
  /// UsageError unless it is a list of objects.
  std::vector<ConfigSection> sections(std::string_view key);
  bool has(std::string_view key) const;
  /// Throws UsageError if the object has a key that was not read.
  void finish() const;

 private:
  /// Reads a value for which `fits` holds; `wanted` describes it.
  template <typename T, typename Fits>
  void read_as(std::string_view key, T& value, std::string_view wanted, Fits fits);
  template <typename T>
  void read_optional(std::string_view key, std::optional<T>& value);
  const Json* find(std::string_view key);
  std::optional<std::size_t> read_choice(std::string_view key, std::span<const std::string_view> names);
  std::string name(std::string_view key) const;

  const Json* object_;
  std::string path_;
  std::vector<std::string> known_;
};

/// Returns the spelling of an enumeration's value, empty if it is not among `choices`.
template <typename E>
std::string_view choice_name(E value, Choices<E> choices) {
  for (const auto& [name, meaning] : choices)
    if (meaning == value) return name;
  return {};
}

/// Throws UsageError("key: wanted ..., got ...") unless `holds`.
void require(bool holds, std::string_view key, std::string_view wanted, const Json& got);
/// Throws the same error, with a description that names other keys.
void require(bool holds, std::string_view key, const Message& wanted, const Json& got);

/// Returns the candidate nearest to `name` by edit distance, if one is near enough.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace gloss
