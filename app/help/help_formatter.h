#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace gloss {

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
