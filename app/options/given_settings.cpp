#include "app/options/given_settings.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace gloss {
namespace {

/// Returns the help with values and default: "sentences computed together (default: 64) [1 to 65536]".
std::string help_text(Setting setting, const SettingOption& option) {
  if (!option.help.empty()) setting.help = option.help;
  return option_help(setting, option.default_text.value_or(value_text(setting.default_value)));
}

std::string heading(const Setting& setting, const SettingOption& option) {
  std::string text(setting.group);
  return option.heading_note.empty() ? text : text + " (" + std::string(option.heading_note) + ')';
}

void add_switch_setting(CLI::App& command, const Setting& setting, const std::string& flag, const std::string& help,
                        GivenSettings& given) {
  const auto set = [&setting, &given](const std::string& option, bool value) {
    if (given.has(setting.key))
      throw CLI::ValidationError(option, "wanted alone, got " + given.option_of(setting) + " beside it");
    given.set(setting, option, value);
  };
  command.add_flag_function(
      flag, [set, flag](std::int64_t) { set(flag, true); }, help);
  if (setting.off_flag.empty()) return;
  const std::string off(setting.off_flag);
  command.add_flag_function(
      off, [set, off](std::int64_t) { set(off, false); }, "the opposite of " + flag);
}

}  // namespace

void GivenSettings::set(const Setting& setting, const std::string& option, Json value) {
  section_ = setting.section;
  set_value_at(values_, setting.key, std::move(value));
  offer(setting, option);
}

std::string GivenSettings::option_of(const Setting& setting) const {
  return has(setting.key) ? names_.at(setting.name()) : std::string();
}

void add_setting(CLI::App& command, const Setting& setting, GivenSettings& given, const SettingOption& option) {
  const auto before = command.option_defaults()->get_group();
  if (!setting.group.empty()) group_options(command, heading(setting, option));
  const std::string name(option.flag.empty() ? setting.flag : option.flag);
  const auto help = help_text(setting, option);
  given.offer(setting, name);
  if (setting.type == SettingType::kSwitch) {
    add_switch_setting(command, setting, name, help, given);
  } else {
    auto shown = setting;
    shown.flag = name;
    add_parsed(command, shown, [&setting, &given, name](const std::string& value) {
      given.set(setting, name, parse_value(setting, value));
    })->description(help);
  }
  group_options(command, before);
}

}  // namespace gloss
