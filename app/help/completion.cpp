#include "app/help/completion.h"

#include <algorithm>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/help/help_formatter.h"

namespace gloss {
namespace {

/// A command and its words after "gloss", such as "tokenizer train". A command with several names has an object for
/// each.
struct NamedCommand {
  std::string words;
  const CLI::App* command;
};

void collect(const CLI::App& command, const std::string& words, std::vector<NamedCommand>& found) {
  found.push_back({words, &command});
  for (const auto* inner : commands_of(command)) {
    auto names = inner->get_aliases();
    names.insert(names.begin(), inner->get_name());
    for (const auto& name : names) collect(*inner, words.empty() ? name : words + ' ' + name, found);
  }
}

std::vector<NamedCommand> all_commands(const CLI::App& program) {
  std::vector<NamedCommand> found;
  collect(program, "", found);
  return found;
}

/// Returns the text in single quotes of the shell. In fish, a backslash escapes characters also inside single quotes.
std::string quoted(std::string_view text, Shell shell) {
  std::string result = "'";
  for (const char c : text) {
    if (shell == Shell::kFish && (c == '\'' || c == '\\'))
      result += '\\';
    else if (c == '\'')
      result += "'\\'";
    result += c;
  }
  return result + '\'';
}

std::string words_of(const CLI::App& command) {
  std::string words;
  for (const auto* inner : commands_of(command)) words += inner->get_name() + ' ';
  for (const auto* option : command.get_options())
    for (const auto& name : typed_names(*option)) words += name + ' ';
  if (!words.empty()) words.pop_back();
  return words;
}

/// Returns the values in brackets at the end of a description, " [power, gnmt]", as words; empty if there are none.
std::string values_of(const CLI::Option& option) {
  const auto& text = option.get_description();
  const auto begin = text.rfind('[');
  if (option.get_type_name() != "NAME" || begin == text.npos || text.back() != ']') return {};
  auto values = text.substr(begin + 1, text.size() - begin - 2);
  std::erase(values, ',');
  return values;
}

/// Returns the functions that bash and zsh share. `_gloss_find PREVIOUS WORD...` sets `found` to the words that may
/// follow.
std::string posix_functions(const CLI::App& program) {
  std::string names, commands, values;
  for (const auto& [words, command] : all_commands(program)) {
    if (!words.empty()) names += (names.empty() ? "" : " | ") + quoted(words, Shell::kBash);
    commands += "    " + quoted(words, Shell::kBash) + ") found=" + quoted(words_of(*command), Shell::kBash) + " ;;\n";
    for (const auto* option : command->get_options()) {
      const auto choices = values_of(*option);
      if (choices.empty()) continue;
      for (const auto& name : typed_names(*option))
        values += "    " + quoted(words + ' ' + name, Shell::kBash) + ") found=" + quoted(choices, Shell::kBash) +
                  "; return ;;\n";
    }
  }
  return "_gloss_is_command() {\n"
         "  case $1 in\n"
         "    " +
         names +
         ") return 0 ;;\n"
         "  esac\n"
         "  return 1\n"
         "}\n"
         "_gloss_find() {\n"
         "  local previous=$1 typed='' word next\n"
         "  found=''\n"
         "  shift\n"
         "  for word in \"$@\"; do\n"
         "    next=\"${typed:+$typed }$word\"\n"
         "    _gloss_is_command \"$next\" || break\n"
         "    typed=$next\n"
         "  done\n"
         "  case \"$typed $previous\" in\n" +
         values +
         "  esac\n"
         "  case $typed in\n" +
         commands +
         "  esac\n"
         "}\n";
}

std::string bash_script(const CLI::App& program) {
  return "# bash completion for gloss\n" + posix_functions(program) +
         "_gloss() {\n"
         "  local found current=${COMP_WORDS[COMP_CWORD]}\n"
         "  _gloss_find \"${COMP_WORDS[COMP_CWORD-1]}\" \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"\n"
         "  COMPREPLY=($(compgen -W \"$found\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -o bashdefault -F _gloss gloss\n";
}

std::string zsh_script(const CLI::App& program) {
  return "#compdef gloss\n# zsh completion for gloss\n" + posix_functions(program) +
         "_gloss() {\n"
         "  local found\n"
         "  _gloss_find \"${words[CURRENT-1]}\" \"${(@)words[2,CURRENT-1]}\"\n"
         "  local -a candidates\n"
         "  candidates=(${=found})\n"
         "  compadd -a candidates\n"
         "  _files\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _gloss ]; then _gloss \"$@\"; else compdef _gloss gloss; fi\n";
}

/// Returns a condition of fish that is true if the words typed so far begin with those of the command.
std::string fish_condition(const std::string& words, const CLI::App& command) {
  std::string inner;
  for (const auto* below : commands_of(command)) inner += ' ' + below->get_name();
  if (words.empty()) return "__fish_use_subcommand";
  std::string condition;
  for (std::size_t begin = 0; begin < words.size();) {
    const auto end = std::min(words.find(' ', begin), words.size());
    condition += (begin == 0 ? "" : "; and ") + ("__fish_seen_subcommand_from " + words.substr(begin, end - begin));
    begin = end + 1;
  }
  return inner.empty() ? condition : condition + "; and not __fish_seen_subcommand_from" + inner;
}

std::string fish_script(const CLI::App& program) {
  std::string text = "# fish completion for gloss\n";
  for (const auto& [words, command] : all_commands(program)) {
    const auto line = "complete -c gloss -n " + quoted(fish_condition(words, *command), Shell::kFish);
    for (const auto* inner : commands_of(*command))
      text += line + " -f -a " + inner->get_name() + " -d " + quoted(inner->get_description(), Shell::kFish) + '\n';
    for (const auto* option : command->get_options()) {
      if (typed_names(*option).empty()) continue;
      text += line;
      for (const auto& name : option->get_snames()) text += " -s " + name;
      for (const auto& name : option->get_lnames()) text += " -l " + name;
      if (!is_flag(*option)) text += " -r";
      if (const auto values = values_of(*option); !values.empty()) text += " -f -a " + quoted(values, Shell::kFish);
      text += " -d " + quoted(option->get_description(), Shell::kFish) + '\n';
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& program, Shell shell) {
  switch (shell) {
    case Shell::kBash:
      return bash_script(program);
    case Shell::kZsh:
      return zsh_script(program);
    default:
      return fish_script(program);
  }
}

}  // namespace gloss
