#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <c10/core/Device.h>

#include "common/files/same_file.h"
#include "common/log.h"
#include "model/storage/stored_weights.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gloss {

/// Options that every command has.
struct CommonOptions {
  std::string device = "auto";
  int threads = 0;  ///< 0: as many as the process may use
  LogOptions log;
};

/// What they come to.
struct Machine {
  at::Device device;
  int threads;
};

/// A new command with the common options.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description, CommonOptions& common);
/// Puts the options that are added from now on below a heading of --help.
void group_options(CLI::App& command, const std::string& heading);
/// To be called when a command has all its options: refuses options without a value or given twice, and shows
/// `examples`, one a line, below the help.
void finish_command(CLI::App& command, const std::string& examples);
/// The files of one command line, --log-json and the standard output left out.
struct CommandFiles {
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs = {};
};
/// The standard input as an input of the command.
NamedFile standard_input();
/// The files of `--model`.
std::vector<NamedFile> model_inputs(const std::vector<std::filesystem::path>& models);

/// Sets up log, threads and memory. Before that it compares `files`, the log file and the standard output: no output
/// may be an input or another output. Throws UsageError for that, or where the device is not there, IoError for the log
/// file.
Machine set_up(const CommonOptions& common, const CommandFiles& files);

/// Throws UsageError unless there is such a file.
void expect_file(std::string_view option, const std::filesystem::path& path);

/// `--overwrite` of a command that writes one file.
CLI::Option* add_overwrite(CLI::App& command, bool& overwrite);
/// Throws UsageError where there is such a file already, naming --overwrite.
void expect_new_file(std::string_view option, const std::filesystem::path& path);

/// An option whose text `assign` takes over; it throws std::invalid_argument saying what was wanted. `placeholder`
/// stands for the text in the help.
struct OptionText {
  std::string name, placeholder, help;
};
CLI::Option* add_text(CLI::App& command, const OptionText& text, std::function<void(const std::string&)> assign);
/// The same of an option that takes one value or more, and may be given again; `assign` takes one after the other.
CLI::Option* add_texts(CLI::App& command, const OptionText& text, std::function<void(const std::string&)> assign);

CLI::Option* add_path(CLI::App& command, const OptionText& text, std::filesystem::path& path);
CLI::Option* add_path(CLI::App& command, const OptionText& text, std::optional<std::filesystem::path>& path);
/// An option that may stand without its path: `given` is set in either case.
CLI::Option* add_optional_path(CLI::App& command, const OptionText& text, bool& given,
                               std::optional<std::filesystem::path>& path);
/// `--model` of a command that translates: a path, and one more each time that it is given.
CLI::Option* add_models(CLI::App& command, std::vector<std::filesystem::path>& models);
/// `--precision` of a command that translates.
CLI::Option* add_precision(CLI::App& command, std::optional<WeightPrecision>& precision);
/// `--plain` of a command that trains or translates.
CLI::Option* add_plain(CLI::App& command, bool& plain);
CLI::Option* add_flag(CLI::App& command, const std::string& name, bool& value, const std::string& help);
/// Two flags, of which one may be typed: it is on or off, or stays as it is where neither is.
struct SwitchText {
  std::string on, on_help, off, off_help;
};
void add_switch(CLI::App& command, const SwitchText& text, std::optional<bool>& value);

struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
/// Decimal digits only. Throws std::invalid_argument.
std::int64_t parse_whole_number(const std::string& text, const WholeRange& range);
struct NumberRange {
  double least = 0;
  double most = std::numeric_limits<double>::max();
  bool above_least = false;  ///< `least` itself is refused
};
/// Finite, in decimal. Throws std::invalid_argument.
double parse_number(const std::string& text, const NumberRange& range);

/// A whole number; `Number` is an integer type or an optional one.
template <typename Number>
CLI::Option* add_whole_number(CLI::App& command, const OptionText& text, Number& value, WholeRange range) {
  return add_text(command, text, [&value, range](const std::string& digits) {
    value = static_cast<Number>(parse_whole_number(digits, range));
  });
}

/// `Number` is double or optional.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const OptionText& text, Number& value, NumberRange range) {
  return add_text(command, text, [&value, range](const std::string& number) { value = parse_number(number, range); });
}

/// What the libraries call a setting, and the option that it came from.
using OptionNames = std::map<std::string, std::string>;
/// Does `work`; in the message of a UsageError each key bears the name of its option, if it has one here.
void name_by_option(const OptionNames& names, const std::function<void()>& work);

/// One of the named values. Throws std::invalid_argument that lists them.
template <typename E>
E parse_choice(const std::string& text, const std::vector<std::pair<std::string, E>>& choices) {
  std::string names;
  for (const auto& [name, meaning] : choices) {
    if (name == text) return meaning;
    names += (names.empty() ? "" : ", ") + name;
  }
  throw std::invalid_argument("one of " + names);
}

/// `Value` is an enumeration or an optional one.
template <typename Value, typename E>
CLI::Option* add_choice(CLI::App& command, const OptionText& text, Value& value,
                        std::vector<std::pair<std::string, E>> choices) {
  return add_text(command, text,
                  [&value, choices](const std::string& name) { value = parse_choice<E>(name, choices); });
}

}  // namespace gloss
