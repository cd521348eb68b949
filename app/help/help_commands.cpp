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
#include "app/help/man_page.h"
#include "app/help/option_names.h"
#include "app/options/command.h"
#include "app/options/command_options.h"
#include "app/output/standard_output.h"
#include "common/config/config_section.h"
#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

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
