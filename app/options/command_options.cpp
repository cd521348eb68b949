#include "app/options/command_options.h"

#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

constexpr double kMaxThreads = 1024;

/// Returns an error message if the value is empty or is an option, as when a value was forgotten; otherwise "".
std::string refuse_no_value(const std::string& value) {
  if (value.empty()) return "wanted a value, got an empty one";
  if (value.starts_with("--")) return "wanted a value, got the option " + value;
  return {};
}

void assign_or_refuse(const std::string& name, const std::function<void(const std::string&)>& assign,
                      const std::string& value) {
  try {
    assign(value);
  } catch (const std::invalid_argument& wanted) {
    throw CLI::ValidationError(name, std::string("wanted ") + wanted.what() + ", got " + value);
  }
}

/// Returns the help of an option that sets no key of the run file.
std::string own_help(const Setting& setting) { return option_help(setting, setting.shown_default); }

template <typename Value>
CLI::Option* add_text(CLI::App& command, Setting setting, SettingType type, Value& value) {
  setting.type = type;
  return add_parsed(command, setting, [&value](const std::string& text) { value = text; });
}

void expect_no_folder(std::string_view option, const std::filesystem::path& path, std::string_view wanted) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UsageError(std::string(option) + ": wanted " + std::string(wanted) + ", got the folder " +
                     printable(path.string()));
}

}  // namespace

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      CommonOptions& common) {
  auto& command = *parent.add_subcommand(name, description);
  group_options(command, "Machine");
  add_option(command,
             {.help = "compute on auto, cpu, cuda or cuda:N",
              .flag = "--device",
              .shown_default = "auto",
              .placeholder = "DEVICE"},
             common.device);
  add_option(command,
             {.help = "compute with N threads",
              .range = between(1, kMaxThreads),
              .flag = "--threads",
              .shown_default = "all processors"},
             common.threads);
  group_options(command, "Messages");
  command.get_help_ptr()->description("print this help")->group("Messages");
  add_option(command, {.help = "print only warnings and errors on stderr", .flag = "--quiet"}, common.log.quiet);
  add_option(command,
             {.help = "append events, such as warnings, as JSON lines to FILE (docs/file_formats.md lists them)",
              .flag = "--log-json"},
             common.log.json_file);
  group_options(command, "Options");
  return command;
}

void group_options(CLI::App& command, const std::string& heading) { command.option_defaults()->group(heading); }

void finish_command(CLI::App& command, const std::string& examples) {
  for (auto* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) {
      option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    } else {
      if (option->get_items_expected_min() > 0) option->check(refuse_no_value);
    }
  }
  std::string text = "Examples:";
  for (const auto line : split_text(examples, '\n')) text.append("\n  ").append(line);
  command.footer(text);
}

std::string option_help(const Setting& setting, std::string_view default_text) {
  std::string text(setting.help);
  std::erase(text, '`');
  if (setting.type == SettingType::kSwitch) return text;
  if (!default_text.empty()) text.append(" (default: ").append(default_text) += ')';
  if (setting.type == SettingType::kPath || setting.type == SettingType::kTexts) return text;
  if (setting.type == SettingType::kText && setting.wanted.empty()) return text;
  return text + " [" + values_text(setting) + ']';
}

std::string option_placeholder(const Setting& setting) {
  if (!setting.placeholder.empty()) return std::string(setting.placeholder);
  switch (setting.type) {
    case SettingType::kWholeNumber:
      return "N";
    case SettingType::kNumber:
      return "X";
    case SettingType::kPath:
      return "FILE";
    default:
      return "NAME";
  }
}

CLI::Option* add_parsed(CLI::App& command, const Setting& setting, std::function<void(const std::string&)> assign) {
  const std::string name(setting.flag);
  const auto assign_or_explain = [name, assign = std::move(assign)](const std::string& value) {
    assign_or_refuse(name, assign, value);
  };
  return command.add_option_function<std::string>(name, assign_or_explain, own_help(setting))
      ->type_name(option_placeholder(setting));
}

CLI::Option* add_repeated(CLI::App& command, const Setting& setting, std::function<void(const std::string&)> assign) {
  const std::string name(setting.flag);
  const auto assign_or_explain = [name, assign = std::move(assign)](const std::vector<std::string>& values) {
    for (const auto& value : values) assign_or_refuse(name, assign, value);
  };
  return command.add_option_function<std::vector<std::string>>(name, assign_or_explain, own_help(setting))
      ->type_name(option_placeholder(setting));
}

CLI::Option* add_option(CLI::App& command, Setting setting, bool& value) {
  setting.type = SettingType::kSwitch;
  return command.add_flag(std::string(setting.flag), value, own_help(setting));
}

CLI::Option* add_option(CLI::App& command, Setting setting, std::string& value) {
  return add_text(command, std::move(setting), SettingType::kText, value);
}

CLI::Option* add_option(CLI::App& command, Setting setting, std::optional<std::string>& value) {
  return add_text(command, std::move(setting), SettingType::kText, value);
}

CLI::Option* add_option(CLI::App& command, Setting setting, std::filesystem::path& value) {
  return add_text(command, std::move(setting), SettingType::kPath, value);
}

CLI::Option* add_option(CLI::App& command, Setting setting, std::optional<std::filesystem::path>& value) {
  return add_text(command, std::move(setting), SettingType::kPath, value);
}

CLI::Option* add_option(CLI::App& command, Setting setting, std::vector<std::filesystem::path>& value) {
  setting.type = SettingType::kPath;
  return add_repeated(command, setting, [&value](const std::string& text) { value.emplace_back(text); });
}

CLI::Option* add_optional_path(CLI::App& command, const Setting& setting, bool& given,
                               std::optional<std::filesystem::path>& path) {
  const auto assign = [&](const std::vector<std::string>& values) {
    given = true;
    if (!values.empty() && !values.front().empty()) path = values.front();
  };
  return command.add_option_function<std::vector<std::string>>(std::string(setting.flag), assign, own_help(setting))
      ->type_name('[' + option_placeholder(setting) + ']')
      ->expected(0, 1);
}

CLI::Option* add_models(CLI::App& command, std::vector<std::filesystem::path>& models, std::string_view help) {
  return add_option(command, {.help = help, .flag = kModelOption, .placeholder = "FILE-OR-DIR"}, models)
      ->allow_extra_args(false);
}

CLI::Option* add_precision(CLI::App& command, std::optional<WeightPrecision>& precision) {
  return add_choice(command,
                    {.help = "multiply matrices in this precision; int8 on the CPU only, float16 on a GPU only",
                     .flag = "--precision",
                     .shown_default = "as stored if this is faster on this processor, else float32"},
                    precision, kTranslatingPrecisions);
}

CLI::Option* add_plain(CLI::App& command, bool& plain) {
  return add_option(command, {.help = "compute by the model's equations alone, without fast paths", .flag = "--plain"},
                    plain);
}

void add_languages(CLI::App& command, Languages& languages) {
  add_option(command,
             {.help = "translate from this language, such as de; for a model of several source languages",
              .flag = "--source-language",
              .shown_default = "the model's",
              .placeholder = "LANGUAGE"},
             languages.source);
  add_option(command,
             {.help = "translate into this language; for a model of several target languages",
              .flag = "--target-language",
              .shown_default = "the model's",
              .placeholder = "LANGUAGE"},
             languages.target);
}

CLI::Option* add_overwrite(CLI::App& command, bool& overwrite) {
  return add_option(command, {.help = "replace the output file if it exists", .flag = "--overwrite"}, overwrite);
}

CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides) {
  return add_repeated(command,
                      {.help = "set a key of the run file, such as training.max_steps=100; repeatable",
                       .flag = "--set",
                       .placeholder = "KEY=VALUE"},
                      [&overrides](const std::string& text) { overrides.push_back(text); })
      ->allow_extra_args(false);
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return add_option(command, {.help = "print one JSON object", .flag = "--json"}, json);
}

const OptionNames& translation_names() {
  static const OptionNames names{{"model", kModelOption},
                                 {"precision", "--precision"},
                                 {"plain", "--plain"},
                                 {"source_language", "--source-language"},
                                 {"target_language", "--target-language"}};
  return names;
}

void name_by_option(const OptionNames& names, const std::function<void()>& work) {
  try {
    work();
  } catch (const UsageError& error) {
    auto message = error.message;
    for (auto& part : message)
      if (const auto* key = std::get_if<Key>(&part))
        if (const auto option = names.find(key->name); option != names.end()) part = Key{option->second};
    throw UsageError(std::move(message));
  }
}

void expect_input_file(std::string_view option, const std::filesystem::path& path, std::string_view wanted) {
  std::error_code error;  // the reader refuses what cannot be examined
  if (std::filesystem::status(TextPath::of(path).file, error).type() == std::filesystem::file_type::not_found)
    throw UsageError(std::string(option) + ": there is no file " + printable(path.string()));
  if (!wanted.empty()) expect_no_folder(option, path, wanted);
}

void expect_output_file(std::string_view option, const std::filesystem::path& path, std::string_view wanted,
                        bool overwrite) {
  expect_no_folder(option, path, wanted);
  std::error_code error;  // the writer refuses what cannot be examined
  if (!overwrite && std::filesystem::is_regular_file(path, error))
    throw UsageError(std::string(option) + ": there is a file " + printable(path.string()) +
                     " already; give another name, or --overwrite to replace it");
}

}  // namespace gloss
