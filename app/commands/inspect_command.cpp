#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/model_options.h"
#include "app/output/inspect_text.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/files/safetensors.h"
#include "model/storage/model_file.h"
#include "model/storage/stored_weights.h"
#include "model/storage/tensor_names.h"
#include "model/weights.h"
#include "run/config/run_files.h"
#include "tokenizer/tokenizer.h"
#include "training/checkpoint.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

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
