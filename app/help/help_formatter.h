#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

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

/// Returns the text broken at spaces into lines of at most `columns` characters, if each word fits. Every line but the
/// first is indented.
///
///     wrapped("one two three", 2, 8)  // "one two\n  three"
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

/// Writes --help: usage, description, options by group, commands, examples; at most 100 columns.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace gloss
