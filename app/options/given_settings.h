#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/options/command_options.h"
#include "common/config/settings.h"

namespace gloss {

/// Settings of a section that the command line sets. They replace those of a run file or a model.
class GivenSettings {
 public:
  /// Notes the option of the command line that sets `setting`, for messages.
  void offer(const Setting& setting, const std::string& option) { names_[setting.name()] = option; }
  void set(const Setting& setting, const std::string& option, Json value);
  bool has(std::string_view key) const { return !value_at(values_, key).is_null(); }
  /// Returns the name of the option that set the key of `setting`; empty if no option did.
  std::string option_of(const Setting& setting) const;

  /// Returns `config` with the given settings in place of its own. Throws UsageError.
  template <typename Config>
  Config over(const Settings<Config>& settings, Config config) const {
    name_by_option(names_, [&] { config = settings.read(ConfigSection(values_, section_), std::move(config)); });
    return config;
  }
  const Json& values() const { return values_; }       ///< as a section of a run file
  const OptionNames& names() const { return names_; }  ///< of all settings that the command line can set

 private:
  std::string section_;
  Json values_ = Json::object();
  OptionNames names_;
};

/// Differences between an option and its declaration.
struct SettingOption {
  std::string_view flag = {}, help = {};              ///< in place of those of the declaration
  std::optional<std::string_view> default_text = {};  ///< in place of the declaration's default; empty: none is shown
  std::string_view heading_note = {};                 ///< after the heading of the group
};
/// Adds the option of `setting`, which must outlive the command.
void add_setting(CLI::App& command, const Setting& setting, GivenSettings& given, const SettingOption& option = {});

}  // namespace gloss
