#include "app/help/option_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

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

}  // namespace gloss
