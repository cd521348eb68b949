#include "app/help/man_page.h"

#include <algorithm>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/help/option_names.h"
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

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& program) {
  std::vector<ManPage> pages;
  add_pages(program, program.get_name(), pages);
  return pages;
}

}  // namespace gloss
