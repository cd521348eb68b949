#include "pipeline/run/run_summary.h"

#include <system_error>

#include "common/log.h"
#include "common/text/formatted.h"

namespace gloss {
namespace {

std::string section_of(const std::string& key) { return key.substr(0, key.find('.')); }
std::string name_of(const std::string& key) { return key.substr(key.find('.') + 1); }

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : to_text(value); }

}  // namespace

std::vector<std::string> chosen_lines(const RunFile& run_file) {
  if (run_file.chosen.empty()) return {};
  std::vector<std::string> lines{"values chosen for " + std::to_string(run_file.text.pairs) + " sentence pairs, " +
                                 std::to_string(run_file.text.words) +
                                 " words (a run file or --set KEY=VALUE can set others):"};
  std::string section, reason;
  const auto end_line = [&] {
    if (lines.size() > 1) lines.back() += ": " + reason;
  };
  for (const auto& chosen : run_file.chosen) {
    const bool has_same_reason = chosen.reason == reason && section_of(chosen.key) == section;
    if (!has_same_reason) {
      end_line();
      lines.push_back("  " + chosen.key);
    } else {
      lines.back() += ", " + name_of(chosen.key);
    }
    lines.back() += ' ' + value_text(chosen.value);
    section = section_of(chosen.key);
    reason = chosen.reason;
  }
  end_line();
  return lines;
}

std::string resume_command(const std::filesystem::path& folder, const std::string& options) {
  return "gloss train-translate --resume " + shell_quoted(folder) + options;
}

std::vector<std::string> finished_lines(const std::filesystem::path& folder, const std::filesystem::path& model_file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(model_file, error);
  return {"the model is " + printable(model_file.string()) + (error ? "" : ", " + bytes_text(bytes)),
          "translate with: gloss translate --model " + shell_quoted(folder) + " < text",
          "see how it was trained: gloss explain --run " + shell_quoted(folder) + " --output training.html"};
}

std::string shell_quoted(const std::filesystem::path& path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:=@%-";
  const auto text = path.string();
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return text;
  std::string quoted = "'";
  for (const char character : text) quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return quoted + "'";
}

}  // namespace gloss
