#include "pipeline/average_models.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include "common/error.h"
#include "common/safetensors_format.h"
#include "common/version.h"
#include "model/make_model.h"
#include "model/model_file.h"
#include "pipeline/run_config.h"
#include "pipeline/run_tokenizers.h"
#include "pipeline/translation_model.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "training/average.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// What a model file says of a translator beside its weights.
struct Source {
  ModelDescription description;
  std::int64_t steps = 0;
};

Source source_of_model(const fs::path& path) {
  auto model = load_translation_model(path, at::kCPU);
  const auto steps = model.description.provenance.value("steps", std::int64_t{0});
  return {std::move(model.description), steps};
}

// checkpoints/ stands in the run's folder.
Source source_of_checkpoint(const fs::path& path, const std::string& name, std::int64_t steps) {
  const auto folder = fs::absolute(path).parent_path().parent_path();
  try {
    const auto config = read_run_config(folder / "config.json", {});
    ModelDescription description{.config = to_portable_json(config), .provenance = {}, .tokenizers = {}};
    for (const auto& tokenizer : tokenizer_names(config.tokenizer.joint))
      description.tokenizers[tokenizer] = SentencePieceTokenizer::load(folder / tokenizer)->serialized();
    return {std::move(description), steps};
  } catch (const Error& error) {
    throw ModelError(name + ": a checkpoint needs config.json and the tokenizer of its run folder: " + error.what());
  }
}

Source source_of(const fs::path& path, const SafetensorsFile& file) {
  if (metadata_value(file, "format") != kCheckpointFormat) return source_of_model(path);
  return source_of_checkpoint(path, file.name(), read_checkpoint_state(file).step);
}

void expect_same_translator(const ModelDescription& first, const ModelDescription& other, const std::string& name) {
  if (first.config.at("model") != other.config.at("model"))
    throw ModelError(name + ": its model's configuration is another than that of the first file");
  if (first.tokenizers != other.tokenizers)
    throw ModelError(name + ": its tokenizer is another than that of the first file; their ids mean different things");
}

std::int64_t vocabulary_size(const ModelDescription& description, const char* side_name) {
  const auto& tokenizers = description.tokenizers;
  const auto found =
      tokenizers.contains(kJointTokenizer) ? tokenizers.find(kJointTokenizer) : tokenizers.find(side_name);
  return SentencePieceTokenizer(found->second, found->first).vocabulary_size();
}

EncoderDecoder model_of(const ModelDescription& description, const std::map<std::string, at::Tensor>& weights) {
  const auto config = parse_run_config(description.config).model;
  auto model = build_model(
      config, {vocabulary_size(description, kSourceTokenizer), vocabulary_size(description, kTargetTokenizer)});
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

void average_models(const std::vector<fs::path>& files, const fs::path& output) {
  WeightAverage average;
  std::optional<ModelDescription> description;
  std::int64_t steps = 0;
  Json averaged = Json::array();
  for (const auto& path : files) {
    const auto file = SafetensorsFile::open(path);
    auto source = source_of(path, file);
    if (!description)
      description = std::move(source.description);
    else
      expect_same_translator(*description, source.description, file.name());
    average.add(file);
    steps = std::max(steps, source.steps);
    averaged.push_back({{"steps", source.steps}, {"sha256", metadata_value(file, "sha256")}});
  }
  if (!description) throw UsageError("average: wanted at least one file");
  description->provenance = {{"program", "gloss " + std::string(kVersion)}, {"steps", steps}, {"averaged", averaged}};
  write_model_file(output, model_of(*description, average.mean()), *description);
}

}  // namespace gloss
