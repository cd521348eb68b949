#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

/// A key of a run file whose value is a path, and its place in a configuration.
struct PathKey {
  std::string key;  ///< dotted
  std::string* path;
};

/// Access to the member of `Config` that a key sets. Made by field(), path_field() and choice_field().
template <typename Config>
struct Field {
  SettingType type;
  std::vector<std::string_view> choices = {};
  std::function<void(ConfigSection&, std::string_view key, Config&)> read = {};
  std::function<Json(const Config&)> value = {};  ///< null: the key is left out
  /// The value without paths of files, by which runs are compared; null: the key is left out. Empty: as `value`.
  std::function<Json(const Config&)> portable = {};
  /// Returns the paths of files in the value, by their keys below the section. Empty: the value has no paths.
  std::function<std::vector<PathKey>(Config&)> paths = {};
  /// Returns this field with another value to write than the member's: the one that follows from other keys if this key
  /// is not set.
  Field writing(std::function<Json(const Config&)> resolved) && {
    value = std::move(resolved);
    return std::move(*this);
  }
};

namespace detail {

template <typename T>
struct Contained {
  using Type = T;
};
template <typename T>
struct Contained<std::optional<T>> {
  using Type = T;
};

template <typename T>
constexpr SettingType setting_type() {
  using Value = typename Contained<T>::Type;
  if constexpr (std::is_same_v<Value, bool>) return SettingType::kSwitch;
  if constexpr (std::is_same_v<Value, std::int64_t>) return SettingType::kWholeNumber;
  if constexpr (std::is_same_v<Value, double>) return SettingType::kNumber;
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) return SettingType::kTexts;
  return SettingType::kText;
}

template <typename T>
Json json_of(const T& value) {
  return value;
}
template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// Returns the field of a member of type T; `get` returns the member of a Config or of a const Config.
template <typename Config, typename T, typename Get>
Field<Config> field_of(Get get) {
  return {
      .type = setting_type<T>(),
      .read = [get](ConfigSection& section, std::string_view key, Config& config) { section.read(key, get(config)); },
      .value = [get](const Config& config) { return json_of(get(config)); }};
}

/// Makes `made` the field of a path, whose place `place` returns. Settings completes the key.
template <typename Config, typename Place>
Field<Config> path_field_of(Field<Config> made, Place place) {
  made.type = SettingType::kPath;
  made.portable = [](const Config&) { return Json(); };
  made.paths = [place](Config& config) { return std::vector{PathKey{"", place(config)}}; };
  return made;
}

}  // namespace detail

template <typename Config, typename T>
Field<Config> field(T Config::*member) {
  return detail::field_of<Config, T>([member](auto& config) -> auto& { return config.*member; });
}
/// Returns the field of a member of a part of the configuration.
template <typename Config, typename Part, typename T>
Field<Config> field(Part Config::*part, T Part::*member) {
  return detail::field_of<Config, T>([ part, member ](auto& config) -> auto& { return config.*part.*member; });
}

/// Returns the field of a member that is the path of a user's file; empty: no file.
template <typename Config>
Field<Config> path_field(std::string Config::*member) {
  return detail::path_field_of(field(member), [member](Config& config) { return &(config.*member); });
}
template <typename Config, typename Part>
Field<Config> path_field(Part Config::*part, std::string Part::*member) {
  return detail::path_field_of(field(part, member), [part, member](Config& config) { return &(config.*part.*member); });
}

/// Returns the field of a member of an enumeration, whose values are spelled as in `names`; names[i].second is unique.
template <typename Config, typename E>
Field<Config> choice_field(E Config::*member, std::type_identity_t<Choices<E>> names) {
  Field<Config> made{.type = SettingType::kChoice};
  for (const auto& [name, meaning] : names) made.choices.push_back(name);
  made.read = [member, names](ConfigSection& section, std::string_view key, Config& config) {
    section.read(key, config.*member, names);
  };
  made.value = [member, names](const Config& config) {
    const auto name = choice_name(config.*member, names);
    return name.empty() ? Json() : Json(name);
  };
  return made;
}
template <typename Config, typename Part, typename E>
Field<Config> choice_field(Part Config::*part, E Part::*member, std::type_identity_t<Choices<E>> names) {
  const auto of_part = choice_field(member, names);
  return {.type = SettingType::kChoice,
          .choices = of_part.choices,
          .read = [part, of_part](ConfigSection& section, std::string_view key,
                                  Config& config) { of_part.read(section, key, config.*part); },
          .value = [part, of_part](const Config& config) { return of_part.value(config.*part); }};
}

/// The keys of one section of the run file: a member and a declaration each.
///
///   const Settings<ModelConfig> settings("model", {
///       {field(&ModelConfig::heads), {.key = "heads", .help = "attention heads", .range = between(1, 64)}},
///   });
///   const ModelConfig config = settings.read(ConfigSection(json, "model"));
///   settings.validate(config);
template <typename Config>
class Settings {
 public:
  struct Row {
    Field<Config> field;
    Setting setting;
  };

  Settings(std::string_view section, std::vector<Row> rows) : rows_(std::move(rows)) {
    const Config defaults;
    for (auto& [field, setting] : rows_) {
      setting.section = section;
      setting.type = field.type;
      setting.choices = field.choices;
      setting.default_value = field.value(defaults);
      if (!field.portable) field.portable = field.value;
      list_.push_back(setting);
    }
  }

  const std::vector<Setting>& list() const { return list_; }

  /// Returns the setting of a key. Throws std::out_of_range if there is no such key.
  const Setting& at(std::string_view key) const {
    const auto found = std::ranges::find(list_, key, &Setting::key);
    if (found == list_.end()) throw std::out_of_range("no setting " + std::string(key));
    return *found;
  }

  /// Returns `config` with the values of `section`. Throws UsageError if a key is unknown or of the wrong type;
  /// validate() checks ranges.
  Config read(ConfigSection section, Config config = {}) const {
    read_into(config, section);
    section.finish();
    return config;
  }
  /// Reads `section`, which may have other keys that are read elsewhere.
  void read_into(Config& config, ConfigSection& section) const {
    std::vector<std::pair<std::string_view, ConfigSection>> nested;
    for (const auto& [field, setting] : rows_) {
      const auto dot = setting.key.find('.');
      if (dot == setting.key.npos) {
        field.read(section, setting.key, config);
        continue;
      }
      const auto object = setting.key.substr(0, dot);
      auto found = std::ranges::find(nested, object, [](const auto& entry) { return entry.first; });
      if (found == nested.end()) found = nested.emplace(nested.end(), object, section.section(object));
      field.read(found->second, setting.key.substr(dot + 1), config);
    }
    for (const auto& [name, object] : nested) object.finish();
  }

  /// Returns every key with its value, defaults filled in.
  Json to_json(const Config& config) const {
    return select(config, &Field<Config>::value, [](const Setting&) { return true; });
  }
  /// Returns every key with its value, without the paths of files.
  Json to_portable_json(const Config& config) const {
    return select(config, &Field<Config>::portable, [](const Setting&) { return true; });
  }
  /// Returns the keys that must be equal for a run to be resumed, with their values.
  Json identity(const Config& config) const {
    Json json = select(config, &Field<Config>::portable,
                       [](const Setting& setting) { return setting.identity == Identity::kAlways; });
    for (const auto& [field, setting] : rows_)
      if (auto value = field.portable(config);
          setting.identity == Identity::kUnlessDefault && !value.is_null() && value != setting.default_value)
        set_value_at(json, setting.key, std::move(value));
    return json;
  }

  /// Throws UsageError that names the key of the first number out of its range.
  void validate(const Config& config) const {
    for (const auto& [field, setting] : rows_)
      if (const auto value = field.value(config); value.is_number())
        require(setting.range.contains(value.template get<double>()), setting.name(), setting.wanted_text(), value);
  }

  /// Returns the first key of `given`, a part of the section, that has no effect in `config`, or null.
  const Setting* without_effect(const Json& given, const Config& config) const {
    const auto json = to_json(config);
    const auto is = [&](std::string_view key, bool value) {
      return !key.empty() && value_at(json, key) == Json(value);
    };
    for (const auto& setting : list_) {
      if (value_at(given, setting.key).is_null()) continue;
      if (is(setting.only_with, false) || is(setting.only_without, true)) return &setting;
    }
    return nullptr;
  }

  /// Returns every key whose value is the path of a file.
  std::vector<PathKey> paths(Config& config) const {
    std::vector<PathKey> paths;
    for (const auto& [field, setting] : rows_)
      if (field.paths)
        for (auto& [key, path] : field.paths(config)) paths.push_back({setting.name() + key, path});
    return paths;
  }

 private:
  template <typename Predicate>
  Json select(const Config& config, std::function<Json(const Config&)> Field<Config>::*value_of,
              Predicate wanted) const {
    Json json = Json::object();
    for (const auto& [field, setting] : rows_)
      if (auto value = (field.*value_of)(config); wanted(setting) && !value.is_null())
        set_value_at(json, setting.key, std::move(value));
    return json;
  }

  std::vector<Row> rows_;
  std::vector<Setting> list_;
};

}  // namespace gloss
