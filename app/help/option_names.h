#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gloss {

/// Returns the names of an option as they are typed: {"-h", "--help"}; empty for an argument without a name.
std::vector<std::string> typed_names(const CLI::Option& option);
/// Returns whether the option takes no value.
bool is_flag(const CLI::Option& option);
/// Returns names and placeholder: "--beam N", "--quiet", "FILE".
std::string usage_of(const CLI::Option& option);

/// Returns the commands below `command` in the order of their declaration.
std::vector<const CLI::App*> commands_of(const CLI::App& command);

/// Options with the same heading.
struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
/// Returns the groups of options: required options first, those of the machine and of messages last.
std::vector<OptionGroup> option_groups(const CLI::App& command);

}  // namespace gloss
