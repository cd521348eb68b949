#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "interchange/refusals.h"

namespace gloss {

/// Returns a regular file that belongs to a model of another program, decompressed if its name ends in .gz. Throws
/// ModelError if it has more than `limit` bytes, is damaged, or is a folder or a device; IoError.
std::string read_model_text(const std::filesystem::path& path, std::size_t limit);

/// Parses the JSON of such a file. Throws ModelError with `name` and the fault.
Json parse_model_json(std::string_view text, const std::string& name, int max_depth = 32);
/// Parses a JSON object of such a file. Throws ModelError, also for other JSON.
Json parse_json_object(std::string_view text, const std::string& name);

/// Maximum sizes of the files of a foreign model in bytes. Settings such as config.json have 50 kB at most, and NLLB's
/// tokenizer has 17 to 35 MB.
inline constexpr std::size_t kMaxSettingsFile = std::size_t{4} << 20, kMaxTokenizerFile = std::size_t{64} << 20;

/// Reads a JSON object of a foreign model, of at most `limit` bytes and the maximum depth of parse_json. Throws
/// ModelError if it is larger, damaged or no object; IoError.
Json read_json_object(const std::filesystem::path& path, std::size_t limit);
/// Reads a JSON object; returns an empty one if there is no such file.
Json read_json_object_if_there(const std::filesystem::path& path, std::size_t limit);

/// Fields of a JSON object. A missing or null field has the fallback; a field of another type or out of its range is
/// refused and also has the fallback.
class JsonFields {
 public:
  JsonFields(const Json& object, Refusals& refusals) : object_(object), refusals_(refusals) {}
  /// Reads fields that are texts, as those of YAML: a number is a text that spells it. `shown` has each field as
  /// messages show it. Each key that is read is added to `read`, with this text.
  JsonFields(const Json& texts, Refusals& refusals, const Json& shown, Json& read)
      : object_(texts), refusals_(refusals), shown_(&shown), read_(&read) {}

  bool has(const char* key) const;
  std::int64_t integer(const char* key, std::int64_t min, std::int64_t max, std::int64_t fallback);
  std::optional<std::int64_t> optional_integer(const char* key, std::int64_t min, std::int64_t max);
  double number(const char* key, double min, double max, double fallback);
  bool flag(const char* key, bool fallback);
  std::string text(const char* key, const std::string& fallback);
  /// Return a list. A value that is none counts as a list of one item, a missing one as an empty list.
  std::vector<std::int64_t> integers(const char* key);
  std::vector<std::string> texts(const char* key);

  /// Adds "key: wanted ..., got ..." to the refusals unless `holds`.
  void expect(bool holds, const char* key, const std::string& wanted);

 private:
  const Json* find(const char* key) const;
  /// Returns the field; null if it is missing. A text is replaced by what `spelled` makes of it if fields are texts.
  Json value(const char* key, Json (*spelled)(const std::string&));
  std::vector<Json> list(const char* key, Json (*spelled)(const std::string&));

  const Json& object_;
  Refusals& refusals_;
  const Json* shown_ = nullptr;  ///< set if the fields are texts
  Json* read_ = nullptr;
};

}  // namespace gloss
