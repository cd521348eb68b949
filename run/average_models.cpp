#include "run/average_models.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/files/same_file.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "common/version.h"
#include "model/make_model.h"
#include "model/storage/model_file.h"
#include "run/config/read_run_file.h"
#include "run/config/run_config.h"
#include "run/config/run_files.h"
#include "tokenizer/tokenizer.h"
#include "training/checkpoint.h"
#include "training/kept_weights.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// The contents of a model file without the weights.
struct ModelInfo {
  ModelConfig config;
  ModelDescription description;
  std::int64_t steps = 0;
};

ModelInfo origin_of_model(const SafetensorsFile& file) {
  auto model = load_translation_model(file, at::kCPU);
  const auto& provenance = model.file.description.provenance;
  std::int64_t steps = 0;
  if (const auto value = provenance.find("steps"); value != provenance.end()) {
    if (!value->is_number_integer() || *value < 0)
      throw ModelError(file.name() + ": provenance: steps: wanted a whole number from 0 on, got " +
                       printable(to_text(*value)));
    steps = value->get<std::int64_t>();
  }
  return {std::move(model.config.model), std::move(model.file.description), steps};
}

/// Throws ModelError unless the checkpoint was saved by a run of this configuration and these tokenizers.
void expect_own_folder(const Json& hashes, const RunConfig& config, const ModelInfo& folder, const std::string& name) {
  auto identity = settings_identity(config);
  for (const auto& [tokenizer, bytes] : folder.description.tokenizers) identity[tokenizer] = sha256(bytes);
  for (const auto& [key, value] : identity.items())
    if (!hashes.contains(key) || hashes.at(key) != value)
      throw ModelError(name + ": the config.json and tokenizer beside it are another run's: " + key +
                       " is not what it was when the checkpoint was saved; put it back into its own run folder");
}

// Returns the contents of a checkpoint, with config.json and tokenizers of its run. The folder checkpoints/ is in the
// run's folder.
ModelInfo origin_of_checkpoint(const fs::path& path, const SafetensorsFile& file) {
  const auto state = read_checkpoint_state(file);
  const auto folder = fs::absolute(path).parent_path().parent_path();
  const auto explain = [&](const Error& error) {
    return ModelError(file.name() +
                      ": a checkpoint needs config.json and the tokenizer of its run folder: " + error.what());
  };
  RunConfig config;
  ModelInfo result{.config = {}, .description = {}, .steps = state.step};
  try {
    config = read_run_config(folder / "config.json", {}, folder);
    result.description.config = to_portable_json(config);
    for (const auto& name : tokenizer_names(config.tokenizer.joint))
      result.description.tokenizers[name] = load_tokenizer(folder / name)->serialized();
  } catch (const UsageError& error) {
    throw explain(error);
  } catch (const DataError& error) {
    throw explain(error);
  }
  result.config = config.model;
  expect_own_folder(state.hashes, config, result, file.name());
  return result;
}

ModelInfo origin_of(const fs::path& path, const SafetensorsFile& file) {
  return metadata_value(file, "format") == kCheckpointFormat ? origin_of_checkpoint(path, file) : origin_of_model(file);
}

void expect_same_translator(const ModelInfo& first, const ModelInfo& other, const std::string& name) {
  if (to_json(first.config) != to_json(other.config))
    throw ModelError(name + ": its model's configuration is another than that of the first file");
  expect_same_tokenizers(first.description, "the first file", other.description, name);
}

std::int64_t vocabulary_size(const ModelDescription& description, const char* side_name) {
  const auto& tokenizers = description.tokenizers;
  const auto found =
      tokenizers.contains(kJointTokenizer) ? tokenizers.find(kJointTokenizer) : tokenizers.find(side_name);
  return make_tokenizer(found->second, found->first)->vocabulary_size();
}

EncoderDecoder model_of(const ModelInfo& origin, const std::map<std::string, at::Tensor>& weights) {
  const auto& description = origin.description;
  auto model = make_uninitialized_model(
      origin.config, {vocabulary_size(description, kSourceTokenizer), vocabulary_size(description, kTargetTokenizer)});
  const at::NoGradGuard no_grad;
  std::size_t used = 0;
  for (const auto& item : model->named_parameters()) {
    const auto found = weights.find(item.key());
    if (found == weights.end() || found->second.sizes() != item.value().sizes())
      throw ModelError("average: the files hold no weight " + item.key() +
                       " of the shape that their configuration says");
    if (!found->second.isfinite().all().item<bool>())
      throw ModelError("average: " + item.key() + ": wanted finite weights, got NaN or infinity");
    item.value().copy_(found->second);
    ++used;
  }
  if (used != weights.size())
    throw ModelError("average: the files hold weights that their configuration does not have");
  return model;
}

}  // namespace

std::vector<std::int64_t> average_models(const std::vector<fs::path>& files, const fs::path& output) {
  WeightAverage average;
  std::optional<ModelInfo> first;
  std::vector<std::int64_t> steps;
  Json averaged = Json::array();
  for (const auto& path : files) expect_no_input({"--output", output}, {{"FILE", path}});
  std::vector<fs::path> seen;
  for (const auto& path : files) {
    const bool again = std::ranges::any_of(seen, [&](const auto& other) { return same_file(path, other); });
    seen.push_back(path);
    if (again) {
      log_warning(printable(path.string()) + ": is one of the files before it; counted once");
      continue;
    }
    warn_of_earlier_model(path);
    const auto file = SafetensorsFile::open(path);
    auto origin = origin_of(path, file);
    if (first) expect_same_translator(*first, origin, file.name());
    average.add(file);
    steps.push_back(origin.steps);
    averaged.push_back({{"steps", origin.steps}, {"sha256", metadata_value(file, "sha256")}});
    if (!first) first = std::move(origin);
  }
  if (!first) throw UsageError("average: wanted at least one file");
  first->description.provenance = {
      {"program", "gloss " + std::string(kVersion)}, {"steps", std::ranges::max(steps)}, {"averaged", averaged}};
  write_model_file(output, model_of(*first, average.mean()), first->description);
  return steps;
}

}  // namespace gloss
