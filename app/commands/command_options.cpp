#include "app/commands/command_options.h"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "common/config/json.h"
#include "common/error.h"
#include "common/text/split_text.h"
#include "pipeline/run/run_files.h"
#include "pipeline/runtime.h"

namespace gloss {
namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr const char* kModelOption = "--model";

/// In place of a forgotten value the next option would be taken for it.
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

/// The standard output may also be the log's file: then events stand between the results.
void expect_apart(const CommonOptions& common, const CommandFiles& files) {
  auto outputs = files.outputs;
  if (common.log.json_file) outputs.push_back({"--log-json", *common.log.json_file});
  for (const auto& output : outputs) expect_no_input(output, files.inputs);
  expect_no_input({"stdout", "/dev/stdout"}, files.inputs);
  expect_distinct(outputs);
}

}  // namespace

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      CommonOptions& common) {
  auto& command = *parent.add_subcommand(name, description);
  group_options(command, "Machine");
  add_text(command, {"--device", "DEVICE", "auto, cpu, cuda or cuda:N (default: auto)"},
           [&](const std::string& text) { common.device = text; });
  add_whole_number(command, {"--threads", "N", "threads to compute with (default: all processors)"}, common.threads,
                   {1, kMostThreads});
  group_options(command, "Messages");
  command.get_help_ptr()->group("Messages");
  add_flag(command, "--quiet", common.log.quiet, "only warnings and errors on stderr");
  add_path(command, {"--log-json", "FILE", "also append steps, scores and warnings as JSON lines to FILE"},
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

NamedFile standard_input() { return {"stdin", "/dev/stdin"}; }

std::vector<NamedFile> model_inputs(const std::vector<std::filesystem::path>& models) {
  std::vector<NamedFile> inputs;
  for (const auto& model : models)
    inputs.push_back({kModelOption, std::filesystem::is_directory(model) ? model / "model.safetensors" : model});
  return inputs;
}

Machine set_up(const CommonOptions& common, const CommandFiles& files) {
  expect_apart(common, files);
  set_up_log(common.log);
  for (const auto& input : files.inputs)
    if (input.name == kModelOption) warn_of_earlier_model(input.path);
  const int threads = set_up_runtime(common.threads);
  Machine machine{at::kCPU, threads};
  name_by_option({{"device", "--device"}}, [&] { machine.device = parse_device(common.device); });
  return machine;
}

void expect_file(std::string_view option, const std::filesystem::path& path) {
  // What cannot be looked at is for the reader to refuse.
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found)
    throw UsageError(std::string(option) + ": there is no file " + printable(path.string()));
}

CLI::Option* add_overwrite(CLI::App& command, bool& overwrite) {
  return add_flag(command, "--overwrite", overwrite, "replace the output file if it exists");
}

void expect_new_file(std::string_view option, const std::filesystem::path& path) {
  std::error_code error;  // the writer refuses what cannot be examined
  if (std::filesystem::is_regular_file(path, error))
    throw UsageError(std::string(option) + ": there is a file " + printable(path.string()) +
                     " already; give another name, or --overwrite to replace it");
}

CLI::Option* add_text(CLI::App& command, const OptionText& text, std::function<void(const std::string&)> assign) {
  const auto assign_or_explain = [name = text.name, assign = std::move(assign)](const std::string& value) {
    assign_or_refuse(name, assign, value);
  };
  return command.add_option_function<std::string>(text.name, assign_or_explain, text.help)->type_name(text.placeholder);
}

CLI::Option* add_texts(CLI::App& command, const OptionText& text, std::function<void(const std::string&)> assign) {
  const auto assign_or_explain = [name = text.name,
                                  assign = std::move(assign)](const std::vector<std::string>& values) {
    for (const auto& value : values) assign_or_refuse(name, assign, value);
  };
  return command.add_option_function<std::vector<std::string>>(text.name, assign_or_explain, text.help)
      ->type_name(text.placeholder);
}

CLI::Option* add_path(CLI::App& command, const OptionText& text, std::filesystem::path& path) {
  return add_text(command, text, [&](const std::string& value) { path = value; });
}

CLI::Option* add_path(CLI::App& command, const OptionText& text, std::optional<std::filesystem::path>& path) {
  return add_text(command, text, [&](const std::string& value) { path = value; });
}

CLI::Option* add_optional_path(CLI::App& command, const OptionText& text, bool& given,
                               std::optional<std::filesystem::path>& path) {
  const auto assign = [&](const std::vector<std::string>& values) {
    given = true;
    if (!values.empty() && !values.front().empty()) path = values.front();
  };
  return command.add_option_function<std::vector<std::string>>(text.name, assign, text.help)
      ->type_name('[' + text.placeholder + ']')
      ->expected(0, 1);
}

CLI::Option* add_models(CLI::App& command, std::vector<std::filesystem::path>& models) {
  return add_texts(command,
                   {"--model", "FILE-OR-DIR",
                    "a model file, or the folder of a finished run; given again: the models translate together, by the "
                    "mean of their probabilities"},
                   [&models](const std::string& model) { models.emplace_back(model); })
      ->allow_extra_args(false);
}

CLI::Option* add_precision(CLI::App& command, std::optional<WeightPrecision>& precision) {
  return add_choice<std::optional<WeightPrecision>, WeightPrecision>(
      command,
      {"--precision", "NAME",
       "what matrices are multiplied in: float32, bfloat16 or int8 (default: as the model is stored where this "
       "processor is faster so, else float32); the lower ones on the CPU only"},
      precision, {kWeightPrecisions.begin(), kWeightPrecisions.end()});
}

CLI::Option* add_plain(CLI::App& command, bool& plain) {
  return add_flag(
      command, "--plain", plain,
      "compute the model by its equations alone, with the operators of LibTorch and none of the faster ways "
      "to the same numbers (model/README.md)");
}

CLI::Option* add_flag(CLI::App& command, const std::string& name, bool& value, const std::string& help) {
  return command.add_flag(name, value, help);
}

void add_switch(CLI::App& command, const SwitchText& text, std::optional<bool>& value) {
  command.add_flag_function(
      text.on, [&value](std::int64_t) { value = true; }, text.on_help);
  const auto switch_off = [&value, text](std::int64_t) {  // called behind the other
    if (value) throw CLI::ValidationError(text.off, "wanted alone, got " + text.on + " beside it");
    value = false;
  };
  command.add_flag_function(text.off, switch_off, text.off_help);
}

std::int64_t parse_whole_number(const std::string& text, const WholeRange& range) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= range.least && value <= range.most)
    return value;
  const bool bounded = range.most != WholeRange().most;
  throw std::invalid_argument("a whole number from " + std::to_string(range.least) +
                              (bounded ? " to " + std::to_string(range.most) : " on"));
}

double parse_number(const std::string& text, const NumberRange& range) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (is_number && value >= range.least && value <= range.most && !(range.above_least && value == range.least))
    return value;
  throw std::invalid_argument((range.above_least ? "a number above " : "a number from ") + to_text(range.least) +
                              (range.above_least ? ", at most " : " to ") + to_text(range.most));
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

}  // namespace gloss
