#include "app/command_line.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/help/help_formatter.h"
#include "app/output/standard_output.h"
#include "app/version_text.h"
#include "common/config/config_section.h"
#include "common/text/printable.h"
#include "run/config/run_config.h"

namespace gloss {
namespace {

/// sacreBLEU's names of options, and those of gloss.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kLongNames{{
    {"-i", "--hypothesis"},
    {"--input", "--hypothesis"},
    {"-nr", "--num-refs"},
    {"-m", "--metrics"},
    {"-sl", "--sentence-level"},
    {"-s", "--smooth-method"},
    {"-sv", "--smooth-value"},
    {"-tok", "--tokenize"},
    {"-lc", "--lowercase"},
    {"-cc", "--chrf-char-order"},
    {"-cw", "--chrf-word-order"},
    {"-ci", "--confidence"},
    {"-cin", "--confidence-n"},
    {"-par", "--paired-ar"},
    {"-pbs", "--paired-bs"},
    {"-parn", "--paired-ar-n"},
    {"-pbsn", "--paired-bs-n"},
    {"-j", "--threads"},
    {"--paired-jobs", "--threads"},
    {"-q", "--quiet"},
    {"-sh", "--short"},
    {"-b", "--score-only"},
    {"-w", "--width"},
    {"-nc", "--no-color"},
    {"-f", "--format"},
}};

/// Returns the arguments with sacreBLEU's short names ("-tok", "-m", "-i") spelled out if the command is `gloss
/// evaluate`. The arguments of other commands are returned unchanged.
std::vector<std::string> without_sacrebleu_names(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "evaluate") return arguments;
  for (auto& argument : arguments) {
    if (argument == "--") break;                                                          // only file names follow
    const auto equals = argument.starts_with("--") ? argument.find('=') : argument.npos;  // "--input=FILE"
    const auto typed = std::string_view(argument).substr(0, equals);
    const auto* name = std::ranges::find(kLongNames, typed, &decltype(kLongNames)::value_type::first);
    if (name != kLongNames.end()) argument.replace(0, typed.size(), name->second);
  }
  return arguments;
}

/// The innermost command of the command line, and its full name with the names of the commands above it.
struct Named {
  const CLI::App* command;
  std::string path;
};

Named innermost(const CLI::App& program) {
  Named named{&program, program.get_name()};
  while (!named.command->get_subcommands().empty()) {
    named.command = named.command->get_subcommands().back();
    named.path += ' ' + named.command->get_name();
  }
  return named;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(inner->get_name());
    for (const auto& alias : inner->get_aliases()) names.push_back(alias);
  }
  return names;
}

std::string unknown_name(const std::string& what, const std::string& name, const std::optional<std::string>& similar) {
  return what + printable(name) + (similar ? "; did you mean " + *similar + "?" : "");
}

/// Returns "--beamsize" for "--beam_size" and "--decodingbeamsize" for "--decoding.beam-size".
std::string without_separators(const std::string& name) {
  std::string letters;
  for (const char c : name)
    if (c != '-' && c != '_' && c != '.') letters += c;
  return "--" + letters;
}

/// Returns the option with the most similar name, or with the most similar key of the run file that it sets.
std::optional<std::string> similar_option(const std::string& name, std::vector<std::string> options) {
  std::vector<std::string> names;
  for (const auto& option : options) names.push_back(without_separators(option));
  for (const auto& section : run_settings())
    for (const auto& setting : section.settings)
      if (const std::string flag(setting.flag); std::ranges::find(options, flag) != options.end())
        for (const auto& key : {std::string(setting.key), setting.name()}) {
          names.push_back(without_separators(key));
          options.push_back(flag);
        }
  const auto nearest = nearest_name(without_separators(name), names);
  if (!nearest) return std::nullopt;
  return options[static_cast<std::size_t>(std::ranges::find(names, *nearest) - names.begin())];
}

/// Returns a message about an unknown option. Suggests a key of the run file if no option is similar and the command
/// has --set.
std::string unknown_option(const std::string& name, const CLI::App& command) {
  const auto options = option_names(command);
  auto similar = similar_option(name, options);
  if (!similar && std::ranges::find(options, "--set") != options.end())
    if (const auto key = similar_key(std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()))))
      similar = "--set " + *key + "=VALUE";
  return unknown_name("unknown option ", name, similar);
}

/// Returns a hint with the options that may take arguments without an option; empty if the command has none.
std::string options_of_files(const std::vector<std::string>& arguments, const CLI::App& command) {
  const auto options = option_names(command);
  const auto has = [&](const std::string& name) { return std::ranges::find(options, name) != options.end(); };
  std::vector<std::string> names;
  if (has("--config") && arguments.front().ends_with(".json"))
    names = {"--config"};
  else if (has("--input"))
    names = {"--input"};
  else if (has("--source") && has("--target"))
    names = {"--source", "--target"};
  const auto count = std::min(arguments.size(), names.size());
  std::string hint = count == 0 ? "" : count == 1 ? "; a file to read is" : "; files to read are";
  for (std::size_t i = 0; i < count; ++i) hint += ' ' + names[i] + ' ' + printable(arguments[i]);
  return hint;
}

bool is_option(std::string_view argument) { return argument.starts_with('-'); }

/// Returns a message about the first argument that no option takes; empty if there is none.
std::string explain_unknown(const Named& named, bool look_at_options_only) {
  auto unknown = named.command->remaining();
  const auto commands = command_names(*named.command);
  const bool misspelled_command = !commands.empty() && !unknown.empty() && !is_option(unknown.front());
  if (!misspelled_command) std::stable_partition(unknown.begin(), unknown.end(), is_option);
  if (unknown.empty() || (look_at_options_only && !is_option(unknown.front()))) return {};
  const auto argument = unknown.front().substr(0, unknown.front().find('='));
  if (misspelled_command) return unknown_name("unknown command ", argument, nearest_name(argument, commands));
  if (is_option(argument)) return unknown_option(argument, *named.command);
  return "unexpected argument " + printable(argument) + options_of_files(unknown, *named.command);
}

std::string explain_repeated(const Named& named) {
  for (const auto* option : named.command->get_options())
    if (option->get_items_expected_max() <= 1 && option->count() > 1)
      return option->get_name() + " is given " + std::to_string(option->count()) + " times";
  return {};
}

/// Returns the message of CLI11, but in the words of other refusals if it is "--threads: 1 required N missing".
std::string explain_missing_value(const CLI::ParseError& error) {
  constexpr std::string_view kRequired = ": 1 required ", kMissing = " missing";
  std::string text = printable(error.what());
  if (const auto at = text.find(kRequired); at != text.npos && text.ends_with(kMissing))
    text.replace(text.size() - kMissing.size(), kMissing.size(), ")")
        .replace(at, kRequired.size(), ": wanted a value (");
  return text;
}

/// Returns the message for a parse error. Reports a misspelled option first, because the intended option is then
/// missing, too.
std::string explain(const CLI::ParseError& error, const CLI::App& program) {
  const auto named = innermost(program);
  const bool has_other_fault = dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr;
  auto message = explain_unknown(named, has_other_fault);
  if (message.empty()) message = explain_repeated(named);
  if (message.empty()) message = explain_missing_value(error);
  return message + "; see " + named.path + " --help";
}

/// Throws UsageError if --resume has an empty value, which CLI11 treats as a missing one.
void expect_no_empty_value(const std::vector<std::string>& arguments) {
  constexpr std::string_view kOption = "--resume";
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == std::string(kOption) + '=' || (i > 0 && arguments[i - 1] == kOption && arguments[i].empty()))
      throw UsageError(std::string(kOption) + ": wanted a folder, got an empty name");
}

Action print(std::string text) {
  return [text = std::move(text)] {
    write_result(text);
    return ExitCode::kDone;
  };
}

Action ask_for_command(std::string help) {
  return [help = std::move(help)] {
    std::fwrite(help.data(), 1, help.size(), stderr);
    return ExitCode::kUsage;
  };
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App program("gloss trains a Transformer on two aligned texts and translates with it.", "gloss");
  program.formatter(std::make_shared<HelpFormatter>());
  program.get_help_ptr()->description("print this help");
  program.footer(
      "Examples:\n"
      "  gloss train-translate --source train.en --target train.de   # train a translator in runs/en-de\n"
      "  gloss translate --model runs/en-de < input.txt              # translate with it, line by line\n"
      "  gloss help translate                                        # explain a command");
  program.set_version_flag("--version", version_text() + '\n', "print the versions of gloss and LibTorch");
  program.require_subcommand(0, 1);  // a file may have the name of a command
  Command chosen;
  add_train_translate_command(program, chosen);
  add_translate_command(program, chosen);
  add_translate_file_command(program, chosen);
  add_serve_command(program, chosen);
  add_evaluate_command(program, chosen);
  add_align_command(program, chosen);
  add_tokenizer_command(program, chosen);
  add_make_corpus_command(program, chosen);
  add_average_command(program, chosen);
  add_convert_command(program, chosen);
  add_import_command(program, chosen);
  add_export_command(program, chosen);
  add_score_command(program, chosen);
  add_inspect_command(program, chosen);
  add_explain_command(program, chosen);
  add_check_data_command(program, chosen);
  add_doctor_command(program, chosen);
  add_help_commands(program, chosen);
  try {
    auto arguments = without_sacrebleu_names({argv + std::min(argc, 1), argv + argc});
    expect_no_empty_value(arguments);
    std::ranges::reverse(arguments);  // CLI11 reads them from the end
    program.parse(std::move(arguments));
  } catch (const CLI::CallForVersion& version) {
    return print(version.what());
  } catch (const CLI::CallForHelp&) {
    return print(program.help());
  } catch (const CLI::ParseError& error) {
    throw UsageError(explain(error, program));
  }
  const auto* const action = std::get_if<Action>(&chosen);
  if (action != nullptr && !*action) return ask_for_command(program.help());
  return chosen;
}

}  // namespace gloss
