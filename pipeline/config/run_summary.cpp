#include "pipeline/config/run_summary.h"

#include <system_error>

#include "common/text/formatted.h"
#include "common/text/printable.h"

namespace gloss {
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
