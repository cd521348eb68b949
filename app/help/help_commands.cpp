#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/help/completion.h"
#include "app/help/help_formatter.h"
#include "app/options/command.h"
#include "app/options/command_options.h"
#include "app/output/standard_output.h"
#include "common/config/config_section.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "common/version.h"

namespace gloss {
namespace {

/// Returns the text escaped for roff: hyphens can be copied, and no line is read as a request.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((i == 0 || text[i - 1] == '\n') && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string dashed(std::string words) {
  std::ranges::replace(words, ' ', '-');
  return words;
}

std::string options_text(const CLI::App& command) {
  std::string text;
  for (const auto& [heading, options] : option_groups(command)) {
    text += ".SS " + escaped(heading) + '\n';
    for (const auto* option : options)
      text += ".TP\n\\fB" + escaped(usage_of(*option)) + "\\fR\n" + escaped(option->get_description()) + '\n';
  }
  return text.empty() ? text : ".SH OPTIONS\n" + text;
}

std::string synopsis(const CLI::App& command, const std::string& words) {
  std::string text = "\\fB" + escaped(words) + "\\fR";
  for (const auto* option : command.get_options())
    if (option->get_required()) text += ' ' + escaped(usage_of(*option));
  return text + (commands_of(command).empty() ? " [\\fIOPTIONS\\fR]" : " \\fICOMMAND\\fR [\\fIOPTIONS\\fR]") + '\n';
}

struct ManPage {
  std::string name;  ///< "gloss-translate"
  std::string text;  ///< in roff, for section 1
};

void add_pages(const CLI::App& command, const std::string& words, std::vector<ManPage>& pages) {
  const auto name = dashed(words);
  std::string commands, others;
  for (const auto* inner : commands_of(command)) {
    commands += ".TP\n\\fB" + escaped(inner->get_name()) + "\\fR\n" + escaped(inner->get_description()) + '\n';
    others += (others.empty() ? "" : ",\n") + (".BR " + escaped(name + '-' + inner->get_name()) + " (1)");
  }
  const auto above = words.rfind(' ');
  if (above != words.npos)
    others = ".BR " + escaped(dashed(words.substr(0, above))) + " (1)" + (others.empty() ? "" : ",\n") + others;
  auto text = ".TH " + escaped(name) + " 1 \"\" \"gloss " + std::string(kVersion) + "\"\n.SH NAME\n" + escaped(name) +
              " \\- " + escaped(command.get_description()) + "\n.SH SYNOPSIS\n" + synopsis(command, words);
  if (!commands.empty()) text += ".SH COMMANDS\n" + commands;
  text += options_text(command);
  if (!command.get_footer().empty())
    text +=
        ".SH EXAMPLES\n.nf\n" + escaped(command.get_footer().substr(command.get_footer().find('\n') + 1)) + "\n.fi\n";
  if (!others.empty()) text += ".SH SEE ALSO\n" + others + '\n';
  pages.push_back({name, text});
  for (const auto* inner : commands_of(command)) add_pages(*inner, words + ' ' + inner->get_name(), pages);
}

/// Returns the page of `program` and one page for each of its commands.
std::vector<ManPage> man_pages(const CLI::App& program) {
  std::vector<ManPage> pages;
  add_pages(program, program.get_name(), pages);
  return pages;
}

constexpr std::array<std::pair<std::string_view, Shell>, 3> kShells{
    {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}}};

/// Returns the help of the command that `words` names, such as {"tokenizer", "train"}. Throws UsageError if there is no
/// such command.
std::string help_of(const CLI::App& program, const std::vector<std::string>& words) {
  const auto* command = &program;
  std::string above;
  for (const auto& word : words) {
    above += (above.empty() ? "" : " ") + command->get_name();
    std::vector<std::string> known;
    const CLI::App* found = nullptr;
    for (const auto* inner : commands_of(*command)) {
      known.push_back(inner->get_name());
      if (inner->check_name(word)) found = inner;
    }
    if (found == nullptr) {
      const auto nearest = nearest_name(word, known);
      throw UsageError("unknown command " + printable(word) + (nearest ? "; did you mean " + *nearest + "?" : "") +
                       "; see " + above + " --help");
    }
    command = found;
  }
  return command->get_formatter()->make_help(command, above.empty() ? "gloss" : above + ' ' + command->get_name(),
                                             CLI::AppFormatMode::Normal);
}

void add_help(CLI::App& program, Command& chosen) {
  const auto words = std::make_shared<std::vector<std::string>>();
  auto& command = *program.add_subcommand("help", "Print the help of a command");
  add_repeated(command, {.help = "print the help of this command", .flag = "command", .placeholder = "[COMMAND...]"},
               [words](const std::string& word) { words->push_back(word); });
  finish_command(command, "gloss help translate\ngloss help tokenizer train");
  command.callback([words, &program, &chosen] {
    chosen = Action([text = help_of(program, *words)] {
      write_result(text);
      return ExitCode::kDone;
    });
  });
}

void add_completion(CLI::App& program, Command& chosen) {
  const auto shell = std::make_shared<Shell>();
  auto& command = *program.add_subcommand("completion", "Print a completion script for a shell");
  add_choice(command, {.help = "write the script for this shell", .flag = "shell", .placeholder = "bash|zsh|fish"},
             *shell, kShells)
      ->required();
  finish_command(command, "source <(gloss completion bash)");
  command.callback([shell, &program, &chosen] {
    chosen = Action([text = completion_script(program, *shell)] {
      write_result(text);
      return ExitCode::kDone;
    });
  });
}

void add_man(CLI::App& program, Command& chosen) {
  const auto folder = std::make_shared<std::filesystem::path>();
  auto& command = *program.add_subcommand("man", "Write the manual pages: gloss.1 and one for each command");
  add_option(command, {.help = "write the pages to this folder", .flag = "--out", .placeholder = "DIR"}, *folder)
      ->required();
  finish_command(command, "gloss man --out man1");
  command.callback([folder, &program, &chosen] {
    chosen = Action([folder, pages = man_pages(program)] {
      std::filesystem::create_directories(*folder);
      for (const auto& [name, text] : pages) write_file(*folder / (name + ".1"), text);
      return ExitCode::kDone;
    });
  });
}

}  // namespace

void add_help_commands(CLI::App& program, Command& chosen) {
  add_help(program, chosen);
  add_completion(program, chosen);
  add_man(program, chosen);
}

}  // namespace gloss
