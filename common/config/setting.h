#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"

namespace gloss {

enum class SettingType { kWholeNumber, kNumber, kSwitch, kText, kPath, kTexts, kObjects, kChoice };

/// Role of a setting in the identity of a run, which must be unchanged when the run is resumed.
enum class Identity {
  kAlways,         ///< part of the identity: the value must be the same
  kUnlessDefault,  ///< part of it unless the value is the default; for keys that are added later
  kNever,          ///< no part of it: a resumed run may have another value
};

/// Allowed values of a number. The bounds belong to it unless `above_min` or `below_max` is set.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false, below_max = false;

  bool contains(double value) const {
    return value >= min && value <= max && !(above_min && value == min) && !(below_max && value == max);
  }
};
constexpr Range at_least(double min) { return {.min = min}; }
constexpr Range between(double min, double max) { return {.min = min, .max = max}; }
constexpr Range from_below(double min, double max) { return {.min = min, .max = max, .below_max = true}; }
constexpr Range above(double min, double max = std::numeric_limits<double>::infinity()) {
  return {.min = min, .max = max, .above_min = true};
}

/// Declaration of a key of the run file or of an option of the command line, or of both. The reader and the writer of
/// the run file, messages, --help, completions, the identity of a run and the tables of configs/README.md derive from
/// it.
struct Setting {
  std::string_view key = {};            ///< below its section; dotted in a nested object; empty: an option alone
  std::string_view help = {};           ///< one sentence without its end; at most 100 characters
  Range range = {};                     ///< of a number
  std::string_view wanted = {};         ///< the range in words, if they are not derived from it
  std::string_view flag = {};           ///< option of the command line, as "--top-k"; empty: no option
  std::string_view off_flag = {};       ///< of a switch: the option that turns it off
  std::string_view group = {};          ///< heading above the option in --help
  std::string_view shown_default = {};  ///< in place of the default in configs/README.md, if other settings decide it
  std::string_view placeholder = {};    ///< name of the value in --help; empty: N, X, FILE or NAME, by type
  std::string_view only_with = {};      ///< key of a switch: the setting has an effect only if it is true
  std::string_view only_without = {};   ///< key of a switch: the setting has an effect only if it is false
  Identity identity = Identity::kAlways;

  // Set by Settings, from the member and its section.
  std::string_view section = {};
  SettingType type = SettingType::kText;
  std::vector<std::string_view> choices = {};
  Json default_value = {};

  /// Returns the dotted name in the run file: "decoding.sampling.top_k".
  std::string name() const;
  /// Returns the allowed values for a message: "a whole number from 1 to 1000", "one of power, gnmt".
  std::string wanted_text() const;
};

/// Returns the allowed values in few words: "1 to 1000", "above 0, at most 1", "power, gnmt", "true or false".
std::string values_text(const Setting& setting);

/// The declarations of the section that `Config` holds (common/config/settings.h).
template <typename Config>
class Settings;

/// Returns the value at a dotted key of nested objects, or null.
Json value_at(const Json& object, std::string_view dotted_key);
/// Sets the value at a dotted key; creates missing objects on the way.
void set_value_at(Json& object, std::string_view dotted_key, Json value);

/// Parses the value of a setting from the text of an option. Throws std::invalid_argument with the allowed values.
Json parse_value(const Setting& setting, const std::string& text);

}  // namespace gloss
