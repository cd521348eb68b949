#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/command_options.h"
#include "app/options/model_options.h"
#include "app/output/inspect_text.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/files/same_file.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "interchange/export/export_model.h"
#include "interchange/import/import_model.h"
#include "model/storage/model_file.h"
#include "model/storage/stored_weights.h"
#include "model/storage/tensor_names.h"
#include "model/weights.h"
#include "run/average_models.h"
#include "run/config/run_files.h"
#include "tokenizer/tokenizer.h"
#include "training/checkpoint.h"
#include "translation/models/convert_model.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

std::string joined_numbers(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

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

struct Module {
  std::string name;
  std::int64_t parameters = 0;
};

std::vector<Module> modules_of(const SafetensorsFile& file) {
  std::vector<Module> modules;
  for (const auto& [name, tensor] : file.tensors()) {
    if (!is_weight_name(name)) continue;
    const auto module = module_name(name);
    if (modules.empty() || modules.back().name != module) modules.push_back({module});
    modules.back().parameters += static_cast<std::int64_t>(tensor.bytes.size() / dtype_size(tensor.dtype));
  }
  return modules;
}

/// Returns the names of the languages with a tag in either tokenizer of a model.
std::set<std::string> languages_of(const ModelDescription& description, const std::string& file) {
  std::set<std::string> names;
  for (const auto& [name, bytes] : description.tokenizers)
    for (auto& language : make_tokenizer(bytes, file + ": " + name)->languages()) names.insert(std::move(language));
  return names;
}

/// Returns the description of the file, the object that --json prints.
Json describe(const std::filesystem::path& path) {
  const auto file = SafetensorsFile::open(path);
  const auto format = format_of(file);
  Json result{{"format", format}, {"modules", Json::array()}};
  if (format == kModelFormat) {
    const auto model = read_model_contents(file);
    result["config"] = model.description.config;
    result["precision"] = weight_precision_name(model.precision);
    result["provenance"] = model.description.provenance;
    result["vocabulary"] = {{"source", model.vocabularies.source}, {"target", model.vocabularies.target}};
    if (const auto& shortlist = model.description.shortlist; shortlist != nullptr)
      result["shortlist"] = {{"tokens", shortlist->table().tokens.size()},
                             {"always", shortlist->table().always.size()}};
    if (const auto scales = model.description.input_scales.size(); scales > 0) result["input_scales"] = scales;
    if (auto languages = languages_of(model.description, file.name()); !languages.empty())
      result["languages"] = std::move(languages);
  } else if (format == kCheckpointFormat) {
    result["state"] = to_json(read_checkpoint_state(file));
    result["moving_mean"] =
        std::ranges::any_of(file.tensors(), [](const auto& tensor) { return is_ema_name(tensor.first); });
  } else {
    refuse_foreign(file, std::string(kModelFormat).append(" or ").append(kCheckpointFormat));
  }
  std::int64_t total = 0;
  for (const auto& [name, parameters] : modules_of(file)) {
    result["modules"].push_back({{"name", name}, {"parameters", parameters}});
    total += parameters;
  }
  result["parameters"] = total;
  return result;
}

}  // namespace

ExitCode run(const AverageOptions& options) {
  CommandFiles compared{.inputs = {}, .outputs = {{"--output", options.output}}};
  for (const auto& file : options.files) {
    compared.inputs.push_back({"FILE", file});
    // A checkpoint is averaged with the configuration and the tokenizers of its run.
    const auto run = std::filesystem::absolute(file).parent_path().parent_path();
    if (checkpoint_step(file.filename().string()))
      for (const auto& beside : run_outputs(run, true).kept) compared.inputs.push_back(beside);
  }
  set_up(options.common, compared);
  for (const auto& file : options.files)
    expect_input_file("FILE", file, "model files or checkpoints, as runs/en-de/checkpoints/step-*.safetensors");
  expect_output_file("--output", options.output, "the name of a model file to write", options.overwrite);
  const auto steps = average_models(options.files, options.output);
  log_info((steps.size() == 1 ? "wrote the weights of one file to "
                              : "wrote the mean of " + counted(steps.size(), "file") + " to ") +
           printable(options.output.string()) + ", after steps " + joined_numbers(steps));
  return ExitCode::kDone;
}

ExitCode run(const ConvertOptions& options) {
  const ConvertJob job{.model = options.model,
                       .output = options.output,
                       .precision = options.precision,
                       .lexical_table = options.lexical_table,
                       .shortlist = options.shortlist,
                       .calibrate = options.calibrate};
  CommandFiles files{model_inputs({job.model}), {{"--output", job.output}}};
  if (job.lexical_table) files.inputs.push_back({"--lexical-table", *job.lexical_table});
  if (job.calibrate) files.inputs.push_back({"--calibrate", *job.calibrate});
  set_up(options.common, files);
  expect_output_file("--output", job.output, "the name of a model file to write", options.overwrite);
  if (job.lexical_table) expect_input_file("--lexical-table", *job.lexical_table);
  if (job.calibrate) {
    if (job.precision != WeightPrecision::kInt8)
      throw UsageError("--calibrate: has an effect beside --precision int8 only");
    expect_input_file("--calibrate", *job.calibrate);
  }
  FileSizes sizes;
  name_by_option(translation_names(), [&] { sizes = convert_model(job); });
  log_info("wrote " + printable(job.output.string()) + ", " + bytes_text(sizes.after) + "; " +
           printable(job.model.string()) + " has " + bytes_text(sizes.before));
  return ExitCode::kDone;
}

ExitCode run(const ExportOptions& options) {
  set_up(options.common, {model_inputs({options.model}), {{"--output", options.output}}});
  std::uintmax_t bytes = 0;
  name_by_option(translation_names(), [&] {
    bytes = export_model({.model = options.model,
                          .format = options.format,
                          .precision = options.precision,
                          .output = options.output,
                          .overwrite = options.overwrite});
  });
  log_info("wrote " + printable(options.output.string()) + ", " + bytes_text(bytes) +
           "; its README.md has the program to translate with");
  return ExitCode::kDone;
}

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

ExitCode run(const InspectOptions& options) {
  const char* const option = "FILE-OR-DIR";
  set_up(options.common, {{{option, model_path(options.file)}}});
  std::filesystem::path file;
  name_by_option({{"model", option}}, [&] { file = model_file_of(options.file); });
  warn_of_earlier_model(file);
  const auto description = describe(file);
  write_report(options.json ? to_text(description) + '\n'
                            : summary_lines(description, std::filesystem::file_size(file)) + '\n' +
                                  description_lines(description));
  return ExitCode::kDone;
}

}  // namespace gloss
