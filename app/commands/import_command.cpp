#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/model_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/files/same_file.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "interchange/import/import_model.h"

namespace gloss {
namespace {

void log_report(const ImportReport& report) {
  log_info(report.format + ", by the formulas of " + std::string(family_name(report.formulas)));
  for (const auto& note : report.notes) log_info("note: " + note);
}

/// Returns whether an import may read a file of this name in the folder of a model.
bool may_be_read(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 10> kEndings{".npz",  ".bin", ".safetensors", ".json",  ".yml",
                                                      ".yaml", ".spm", ".model",       ".vocab", ".sh"};
  const auto ending = path.extension().string(), name = path.filename().string();
  return ending == ".txt" ? name.find("vocab") != name.npos : std::ranges::find(kEndings, ending) != kEndings.end();
}

/// Returns the files of the model to import, except for empty files (stdout may lead to one) and the output of an
/// earlier import.
std::vector<NamedFile> files_read(const ImportOptions& options) {
  const auto& path = options.settings.path;
  std::vector<NamedFile> files{{"path", path}};
  std::error_code error;  // import_model reports what cannot be read
  const auto folder = std::filesystem::is_directory(path, error) ? path : std::filesystem::absolute(path).parent_path();
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (may_be_read(entry->path()) && entry->file_size(error) > 0 && !error &&
        !(options.output && same_file(entry->path(), *options.output)))
      files.push_back({"a file of the model", entry->path()});
  return files;
}

}  // namespace

ExitCode run(const ImportOptions& options) {
  CommandFiles files{.inputs = files_read(options)};
  for (const auto& vocabulary : options.settings.vocabularies) files.inputs.push_back({"--vocabulary", vocabulary});
  if (options.output) files.outputs.push_back({"--output", *options.output});
  set_up(options.common, files);
  for (const auto& vocabulary : options.settings.vocabularies)
    expect_input_file("--vocabulary", vocabulary, "a vocabulary or a SentencePiece model");
  const auto named = [](const std::function<void()>& work) { name_by_option(translation_names(), work); };
  ImportReport report;
  if (options.check) {
    named([&] { report = check_import(options.settings); });
    write_report(options.json ? to_text(to_json(report)) + '\n' : to_lines(report));
    return report.importable() ? ExitCode::kDone : ExitCode::kData;
  }
  if (!options.output) throw UsageError("--output is missing, the name of a model file to write; or set --check");
  expect_output_file("--output", *options.output, "the name of a model file to write", options.overwrite);
  named([&] { report = import_model(options.settings, options.precision, *options.output); });
  log_report(report);
  log_info("wrote " + printable(options.output->string()) + ", " +
           bytes_text(std::filesystem::file_size(*options.output)));
  return ExitCode::kDone;
}

}  // namespace gloss
