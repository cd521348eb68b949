#include "app/help/help_formatter.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "common/text/terminal_text.h"

namespace gloss {
namespace {

constexpr std::array<std::string_view, 2> kLastGroups{"Machine", "Messages"};

/// Returns the group's position in the help: 0 for required options, 1 for most others, larger numbers for the last
/// groups.
std::size_t rank(const OptionGroup& group) {
  if (group.heading == "Required") return 0;
  const auto last = std::find_if(kLastGroups.begin(), kLastGroups.end(),
                                 [&](std::string_view name) { return group.heading.starts_with(name); });
  return last == kLastGroups.end() ? 1 : 2 + static_cast<std::size_t>(last - kLastGroups.begin());
}

constexpr std::size_t kColumns = 100;
constexpr std::size_t kNameColumns = 28;  // two spaces, name, two spaces; longer names have a line of their own

/// Returns "  name   description", with the description in a column of its own.
std::string entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  if (text.size() + 2 > kNameColumns)
    text += '\n' + std::string(kNameColumns, ' ');
  else
    text.resize(kNameColumns, ' ');
  // The first line is indented, too.
  return text + wrapped(std::string(kNameColumns, ' ') + description, kNameColumns, kColumns).substr(kNameColumns) +
         '\n';
}

std::string description_of(const CLI::Option& option) {
  std::string needed;
  for (const auto* other : option.get_needs()) needed += (needed.empty() ? "" : ", ") + other->get_name();
  return option.get_description() + (needed.empty() ? "" : "; needs " + needed);
}

std::string usage_line(const CLI::App& command, const std::string& name) {
  std::string usage = "Usage: " + name;
  for (const auto* option : command.get_options())
    if (option->get_required() || typed_names(*option).empty()) usage += ' ' + usage_of(*option);
  if (!option_groups(command).empty()) usage += " [OPTIONS]";
  if (!commands_of(command).empty()) usage += " COMMAND";
  return wrapped(usage, 7, kColumns) + '\n';
}

std::string command_entries(const CLI::App& command) {
  std::string text;
  for (const auto* inner : commands_of(command)) {
    auto name = inner->get_name();
    for (const auto& alias : inner->get_aliases()) name += ", " + alias;
    text += entry(name, inner->get_description());
  }
  return text.empty() ? text : "\nCommands:\n" + text;
}

}  // namespace

std::vector<std::string> typed_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back('-' + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

std::string usage_of(const CLI::Option& option) {
  std::string usage;
  for (const auto& name : typed_names(option)) usage += (usage.empty() ? "" : ", ") + name;
  if (is_flag(option)) return usage;
  return usage.empty() ? option.get_type_name() : usage + ' ' + option.get_type_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* inner) { return !inner->get_name().empty(); });
}

std::vector<OptionGroup> option_groups(const CLI::App& command) {
  std::vector<OptionGroup> groups;
  for (const auto* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    const auto heading = option->get_required() ? "Required" : option->get_group();
    auto group = std::ranges::find(groups, heading, &OptionGroup::heading);
    if (group == groups.end()) group = groups.insert(groups.end(), {heading, {}});
    group->options.push_back(option);
  }
  std::ranges::stable_sort(groups, {}, rank);
  return groups;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string result;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto begin = std::min(text.find_first_not_of(' '), text.size());
    const auto end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(0, end);  // with the spaces before it
    const auto width = columns_of(word);
    if (used > indent && used + width > columns && begin > 0) {
      result += '\n' + std::string(indent, ' ');
      result += word.substr(begin);
      used = indent + width - begin;
    } else {
      result += word;
      used += width;
    }
    text.remove_prefix(end);
  }
  return result;
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode) const {
  std::string text = usage_line(*command, name) + '\n' + wrapped(command->get_description(), 0, kColumns) + '\n';
  text += command_entries(*command);
  for (const auto& [heading, options] : option_groups(*command)) {
    text += '\n' + heading + ":\n";
    for (const auto* option : options) text += entry(usage_of(*option), description_of(*option));
  }
  return command->get_footer().empty() ? text : text + '\n' + command->get_footer() + '\n';
}

}  // namespace gloss
