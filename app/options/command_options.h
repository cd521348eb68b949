#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/config/setting.h"
#include "common/log/log.h"
#include "model/storage/weight_precision.h"
#include "tokenizer/language_tags.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gloss {

/// Options of every command that computes.
struct CommonOptions {
  std::string device = "auto";
  int threads = 0;  ///< 0: as many as the process may use
  LogOptions log;
};

/// Adds a command with the common options.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description, CommonOptions& common);
/// Sets the heading in --help of the options that are added from now on.
void group_options(CLI::App& command, const std::string& heading);
/// Completes a command that has all its options: refuses options without a value or given twice, and shows `examples`,
/// one a line, below the help.
void finish_command(CLI::App& command, const std::string& examples);

// An option is declared by a Setting. If it sets a key of the run file, the section's table holds the declaration
// (app/options/given_settings.h). Otherwise it is written where the option is added:
//
//     add_option(command,
//                {.help = "use N threads", .range = between(1, 1024), .flag = "--threads", .shown_default = "all"},
//                options.threads);
//
// The type of the member decides how the text is read and what the help shows. Messages and --help state the range.

/// Returns the description in --help: "use N threads (default: all) [1 to 1024]". Without `default_text` no default is
/// shown.
std::string option_help(const Setting& setting, std::string_view default_text);
/// Returns the placeholder of the value in --help: "N", "FILE".
std::string option_placeholder(const Setting& setting);

/// Adds an option whose text is passed to `assign`. `assign` throws std::invalid_argument with the wanted values if the
/// text is wrong.
CLI::Option* add_parsed(CLI::App& command, const Setting& setting, std::function<void(const std::string&)> assign);
/// Adds an option with one or more values that may be repeated; `assign` is called for each value.
CLI::Option* add_repeated(CLI::App& command, const Setting& setting, std::function<void(const std::string&)> assign);

CLI::Option* add_option(CLI::App& command, Setting setting, bool& value);
CLI::Option* add_option(CLI::App& command, Setting setting, std::string& value);
CLI::Option* add_option(CLI::App& command, Setting setting, std::optional<std::string>& value);
CLI::Option* add_option(CLI::App& command, Setting setting, std::filesystem::path& value);
CLI::Option* add_option(CLI::App& command, Setting setting, std::optional<std::filesystem::path>& value);
CLI::Option* add_option(CLI::App& command, Setting setting, std::vector<std::filesystem::path>& value);

/// Adds an option with a number. `Number` is an integer type, double, or an optional of one of them.
template <typename Number>
requires(!std::is_same_v<Number, bool>) CLI::Option* add_option(CLI::App& command, Setting setting, Number& value) {
  using Value = typename decltype(std::optional(value))::value_type;
  setting.type = std::is_floating_point_v<Value> ? SettingType::kNumber : SettingType::kWholeNumber;
  return add_parsed(command, setting, [setting, &value](const std::string& text) {
    value = parse_value(setting, text).template get<Value>();
  });
}

/// Adds an option with a value of an enumeration, or of an optional one. `names` are the names of its values.
template <typename Value, typename E, std::size_t N>
CLI::Option* add_choice(CLI::App& command, Setting setting, Value& value,
                        const std::array<std::pair<std::string_view, E>, N>& names) {
  setting.type = SettingType::kChoice;
  for (const auto& [name, meaning] : names) setting.choices.push_back(name);
  return add_parsed(command, setting, [setting, &value, names](const std::string& text) {
    const auto chosen = parse_value(setting, text).template get<std::string>();
    for (const auto& [name, meaning] : names)
      if (name == chosen) value = meaning;
  });
}

/// Adds an option whose path may be left out; `given` is set in either case.
CLI::Option* add_optional_path(CLI::App& command, const Setting& setting, bool& given,
                               std::optional<std::filesystem::path>& path);

// Options of several commands.
inline constexpr const char* kModelOption = "--model";
/// Adds `--model` of a command that translates or, with several models, does what `help` describes. Each use of the
/// option adds a path.
CLI::Option* add_models(CLI::App& command, std::vector<std::filesystem::path>& models,
                        std::string_view help =
                            "translate with a model file or the folder of a finished run; "
                            "repeated: with the mean of the models' probabilities");
/// Adds `--precision` of a command that translates.
CLI::Option* add_precision(CLI::App& command, std::optional<WeightPrecision>& precision);
/// Adds `--plain` of a command that trains or translates.
CLI::Option* add_plain(CLI::App& command, bool& plain);
/// Adds `--source-language` and `--target-language` of a command that translates.
void add_languages(CLI::App& command, Languages& languages);
/// Adds `--overwrite` of a command that writes one file.
CLI::Option* add_overwrite(CLI::App& command, bool& overwrite);
/// Adds `--set` of a command that reads a run file.
CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides);
/// Adds `--json` of a command that prints a report.
CLI::Option* add_json(CLI::App& command, bool& json);

/// Names of values in libraries and the options that set them.
using OptionNames = std::map<std::string, std::string>;
/// Runs `work`. In the message of a UsageError, replaces each key by the name of its option in `names`, if there is
/// one.
void name_by_option(const OptionNames& names, const std::function<void()>& work);
/// Returns the names of the options of add_models, add_precision, add_plain and add_languages.
const OptionNames& translation_names();

/// Throws UsageError unless the input exists. If `wanted` describes the file, a folder is refused, too; otherwise its
/// reader refuses it.
void expect_input_file(std::string_view option, const std::filesystem::path& path, std::string_view wanted = {});
/// Throws UsageError if `wanted`, as "the name of a page to write", cannot be `path`: a folder or, unless `overwrite`,
/// an existing file.
void expect_output_file(std::string_view option, const std::filesystem::path& path, std::string_view wanted,
                        bool overwrite);

}  // namespace gloss
