#include "pipeline/memory_trial.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <ATen/ops/zeros_like.h>
#include <malloc.h>

#include "common/log.h"
#include "common/memory.h"
#include "common/random.h"
#include "common/special_ids.h"
#include "model/make_model.h"
#include "model/parameter_shapes.h"
#include "model/tensor_memory.h"
#include "pipeline/initial_weights.h"
#include "training/adam.h"
#include "training/freeze.h"
#include "training/update.h"

namespace gloss {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);
// Pieces and eos of a trial's sentences. Several, since blocks of memory are kept for each size that comes.
struct Lengths {
  std::int64_t source, target;
};
constexpr std::array<Lengths, 4> kLengths{{{12, 12}, {20, 16}, {32, 28}, {56, 40}}};
constexpr double kMostOperations = 2e12;        // of a trial: ten to twenty seconds
constexpr double kOperationsPerParameter = 12;  // and token: forward, backward, encoder and decoder
constexpr std::int64_t kFewestTokens = 256;

/// A line of /proc/self/status, in bytes; 0 where there is none.
std::int64_t status_bytes(std::string_view wanted) { return size_in_proc("/proc/self/status", wanted).value_or(0); }

/// From here on the peak is counted anew; where the system does not do that, from the beginning of the process.
void reset_peak() {
  release_free_tensor_memory();
  ::malloc_trim(0);  // else the heap keeps what was freed, and it is not counted again
  std::ofstream("/proc/self/clear_refs") << 5;
}

Batch random_batch(std::int64_t tokens, const Lengths& lengths, const Vocabularies& vocabularies,
                   const RandomStream& random) {
  Batch batch;
  std::uint64_t drawn = 0;
  const auto sentence = [&](std::int64_t length, std::int64_t vocabulary) {
    Ids ids;
    while (std::ssize(ids) < length - 1)
      ids.push_back(static_cast<Id>(random.below(static_cast<std::uint64_t>(vocabulary), drawn++)));
    ids.push_back(kEos);
    return ids;
  };
  const auto longest = std::max(lengths.source, lengths.target);
  for (std::int64_t i = 0; i < std::max<std::int64_t>(tokens / longest, 1); ++i) {
    batch.source.push_back(sentence(lengths.source, vocabularies.source));
    batch.target.push_back(sentence(lengths.target, vocabularies.target));
  }
  return batch;
}

/// More than any kernel keeps of a token for the backward pass, so that a trial is no risk.
std::int64_t most_bytes_of_token(const ModelConfig& model, const Vocabularies& vocabularies) {
  const auto layers = model.encoder_layers + model.decoder_layers;
  return kFloatBytes * (layers * (40 * model.d_model + 6 * model.d_ff + 200 * model.heads) + 8 * vocabularies.target);
}

}  // namespace

TrainingNeeds training_needs(const RunConfig& config, const Vocabularies& vocabularies) {
  TrainingNeeds needs;
  const auto shapes = parameter_shapes(config.model, vocabularies);
  std::vector<std::string> names;
  for (const auto& [name, shape] : shapes) names.push_back(name);
  const auto frozen = frozen_parameters(config.training.freeze, names);
  for (const auto& [name, shape] : shapes) {
    std::int64_t count = 1;
    for (const auto size : shape) count *= size;
    needs.parameters += count;
    if (!frozen.contains(name)) needs.trained_parameters += count;
  }
  needs.weights = needs.parameters * kFloatBytes;
  needs.gradients = needs.trained_parameters * kFloatBytes;
  needs.optimizer = (config.training.ema_decay > 0 ? 3 : 2) * needs.trained_parameters * kFloatBytes;
  needs.program = status_bytes("VmRSS:");
  needs.model_file = needs.weights;
  needs.checkpoint = needs.weights + needs.optimizer;
  // The newest, those of an average among them; the best, and the one that is being written.
  needs.checkpoints = std::max(config.training.keep_checkpoints, config.training.average_last) + 2;
  return needs;
}

TrainingNeeds try_training(const RunConfig& config, const Vocabularies& vocabularies, std::int64_t memory) {
  auto needs = training_needs(config, vocabularies);
  const auto affordable =
      static_cast<std::int64_t>(kMostOperations / kOperationsPerParameter / static_cast<double>(kLengths.size()) /
                                static_cast<double>(needs.parameters));
  const auto wanted = config.data.batch_tokens;
  const auto safe = (memory - needs.weights - needs.gradients) / 2 / most_bytes_of_token(config.model, vocabularies);
  const auto most = std::min({wanted, std::max(affordable, kFewestTokens), std::max(safe, kFewestTokens)});
  auto model_config = config.model;
  model_config.max_positions = std::max(model_config.max_positions, kLengths.back().source + 1);

  const RandomStream random(1, "memory trial");
  auto model = make_model(model_config, vocabularies, random);
  freeze(model, config.training.freeze);
  for (const auto& [name, parameter] : named_parameters(model))
    if (parameter.requires_grad()) parameter.mutable_grad() = at::zeros_like(parameter);
  // What is held at most beside weights and gradients.
  const auto peak_beside = [&](std::int64_t tokens) {
    log_progress("trying " + std::to_string(tokens) + " tokens");
    reset_peak();
    const auto before = status_bytes("VmRSS:");
    for (const auto& lengths : kLengths) {
      const auto draw = random.at(1, 0);
      const auto batch = random_batch(tokens, lengths, vocabularies, random);
      batch_loss(model, batch, config.training.label_smoothing, {.training = true, .random = &draw})
          .smoothed_sum.backward();
    }
    log_progress("");
    return std::max<std::int64_t>(status_bytes("VmHWM:") - before, 0);
  };
  peak_beside(kFewestTokens);  // libraries take memory of their own at the first call
  const auto large = peak_beside(most);
  needs.batch = large;
  if (most == wanted) return needs;
  const auto small = peak_beside(most / 4);
  const auto per_token = static_cast<double>(large - small) / static_cast<double>(most - most / 4);
  needs.batch = large + static_cast<std::int64_t>(std::max(per_token, 0.0) * static_cast<double>(wanted - most));
  return needs;
}

Vocabularies foreseen_vocabularies(const RunConfig& config) {
  const auto [source, target] = configured_tokenizers(config);
  if (source) return {source->vocabulary_size(), target->vocabulary_size()};
  return {config.tokenizer.vocabulary_size, config.tokenizer.vocabulary_size};
}

std::int64_t free_disk(const std::filesystem::path& folder) {
  auto place = std::filesystem::absolute(folder);
  std::error_code error;
  while (!std::filesystem::exists(place, error) && place.has_parent_path() && place != place.parent_path())
    place = place.parent_path();
  const auto space = std::filesystem::space(place, error);
  return error ? 0 : static_cast<std::int64_t>(space.available);
}

Json to_json(const TrainingNeeds& needs) {
  return {{"parameters", needs.parameters},   {"trained_parameters", needs.trained_parameters},
          {"weights", needs.weights},         {"gradients", needs.gradients},
          {"optimizer", needs.optimizer},     {"batch", needs.batch},
          {"program", needs.program},         {"memory", needs.memory()},
          {"model_file", needs.model_file},   {"checkpoint", needs.checkpoint},
          {"checkpoints", needs.checkpoints}, {"disk", needs.disk()}};
}

}  // namespace gloss
