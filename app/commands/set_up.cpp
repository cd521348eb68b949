#include "app/commands/set_up.h"

#include <string>

#include "app/options/command_options.h"
#include "common/log/log.h"
#include "run/config/run_files.h"
#include "tensor/runtime.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

/// Throws UsageError if an output is also an input or another output. The log file may be the standard output: its
/// events then appear between the results.
void expect_apart(const CommonOptions& common, const CommandFiles& files) {
  auto outputs = files.outputs;
  if (common.log.json_file) outputs.push_back({"--log-json", *common.log.json_file});
  for (const auto& output : outputs) expect_no_input(output, files.inputs);
  expect_no_input({"stdout", "/dev/stdout"}, files.inputs);
  expect_distinct(outputs);
}

}  // namespace

NamedFile standard_input() { return {"stdin", "/dev/stdin"}; }

std::vector<NamedFile> model_inputs(const std::vector<std::filesystem::path>& models) {
  std::vector<NamedFile> inputs;
  for (const auto& model : models) inputs.push_back({kModelOption, model_path(model)});
  return inputs;
}

Machine set_up(const CommonOptions& common, const CommandFiles& files, const std::optional<ProcessPlace>& place) {
  expect_apart(common, files);
  set_up_log(common.log);
  for (const auto& input : files.inputs)
    if (input.name == kModelOption) warn_of_earlier_model(input.path);
  const int threads = set_up_runtime(common.threads);
  Machine machine{at::kCPU, threads};
  name_by_option({{"device", "--device"}}, [&] { machine.device = parse_device(common.device, place); });
  return machine;
}

TranslationEnsemble load_models(const std::vector<std::filesystem::path>& models, const Languages& languages,
                                at::Device device) {
  TranslationEnsemble ensemble;
  name_by_option(translation_names(), [&] { ensemble = load_translation_ensemble(models, device, languages); });
  return ensemble;
}

void warn_of_ignored(std::optional<WeightPrecision> precision, const TranslationEnsemble& models) {
  if (models.ignores(precision))
    log_warning("--precision: " + std::string(weight_precision_name(*precision)) +
                " is ignored; gloss has no fast code for a part of this network and multiplies in float32");
}

}  // namespace gloss
