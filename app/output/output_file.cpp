#include "app/output/output_file.h"

#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/commands/command_options.h"
#include "app/output/standard_output.h"

namespace gloss {

void add_output_file(CLI::App& command, std::string_view what, std::optional<std::filesystem::path>& file) {
  add_path(command,
           {"--output", "FILE",
            "write " + std::string(what) +
                " to FILE, which appears complete or not at all, in place of one that is there "
                "(default: stdout)"},
           file);
}

OutputFile::OutputFile(const std::optional<std::filesystem::path>& path) {
  if (path) file_.emplace(*path);
}

void OutputFile::write(std::string_view text) {
  if (file_) return file_->write(text);
  write_result(text);
}

void OutputFile::commit() {
  if (file_) file_->commit();
}

}  // namespace gloss
