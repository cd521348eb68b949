#include "run/estimate/training_needs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <sys/resource.h>

#include "common/log/log.h"
#include "common/random.h"
#include "common/special_ids.h"
#include "common/system/machine.h"
#include "data/batch.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "run/config/initial_weights.h"
#include "tensor/out_of_memory.h"
#include "tensor/runtime.h"
#include "tensor/workers.h"
#include "tokenizer/train_tokenizer.h"
#include "training/adam.h"
#include "training/freeze.h"
#include "training/shard_passes.h"

namespace gloss {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);

/// Returns the memory of SentencePiece's trainers, as measured on English and German. They read at most
/// kMaxTrainingLines.
std::int64_t tokenizer_training_bytes(TokenizerType type, std::int64_t text_bytes) {
  constexpr std::int64_t kBytesPerLine = 120;
  return std::min(text_bytes, kMaxTrainingLines * kBytesPerLine) * (type == TokenizerType::kUnigram ? 22
                                                                    : type == TokenizerType::kBpe   ? 9
                                                                                                    : 5);
}

/// Returns the memory of a search for translations of the longest sources, of up to `length` tokens each: the scorer's
/// copy of the weights, the encoder's and decoder's numbers, and keys and values, which are copied when rows are
/// reordered.
std::int64_t search_bytes(const RunConfig& config, const Vocabularies& vocabularies, std::int64_t weights,
                          std::span<const std::int64_t> sources, std::int64_t beam_size, std::int64_t length) {
  if (sources.empty()) return 0;
  const auto& model = config.model;
  const auto sentences = std::min(std::ssize(sources), config.decoding.batch_size);
  const auto positions = sentences * std::ranges::max(sources), rows = sentences * beam_size;
  const auto kept = model.decoder_layers * model.d_model * (2 * positions + 4 * rows * length);
  return weights + kFloatBytes * (kept + positions * (6 * model.d_model + model.d_ff) + 3 * rows * vocabularies.target);
}

using Lengths = std::vector<PairLengths>;

/// Limits the memory that the process may still allocate. Beyond it an allocation fails; without a limit the system
/// could end the process.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes) {
    ::getrlimit(RLIMIT_DATA, &before_);
    const auto used = size_in_proc("/proc/self/status", "VmData:").value_or(0);
    auto limit = before_;
    limit.rlim_cur = std::min(before_.rlim_cur, static_cast<rlim_t>(used + bytes));
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_DATA, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

/// Returns three batches of a run: the one with the longest sentences, three quarters of the largest, and the largest.
/// Batches of a run differ in size, and few blocks that the allocator caches fit another size.
std::array<Lengths, 3> batches_to_try(const RunConfig& config, Lengths pairs) {
  const auto tokens = config.data.batch_tokens;
  constexpr std::int64_t kUsualLength = 32;  // without a text
  if (pairs.empty())
    pairs.assign(static_cast<std::size_t>(std::max<std::int64_t>(tokens / kUsualLength, 1)),
                 {std::min(kUsualLength, tokens), std::min(kUsualLength, tokens)});
  std::vector<Lengths> batches;
  for (const auto& batch : batches_by_length(pairs, tokens)) {
    auto& lengths = batches.emplace_back();
    for (const auto pair : batch) lengths.push_back(pairs[static_cast<std::size_t>(pair)]);
  }
  const auto longest = [](const Lengths& batch) { return std::ranges::max(batch, {}, &PairLengths::longer).longer(); };
  const auto positions = [&](const Lengths& batch) { return longest(batch) * std::ssize(batch); };
  const auto& largest = *std::ranges::max_element(batches, {}, positions);
  auto smaller = largest;
  smaller.resize((3 * smaller.size() + 3) / 4);
  return {*std::ranges::max_element(batches, {}, longest), std::move(smaller), largest};
}

/// Returns a batch of random ids.
Batch random_batch(const Lengths& lengths, const RunConfig& config, const Vocabularies& vocabularies,
                   const RandomStream& random) {
  const double growth = growth_by_sampling(config);
  std::uint64_t drawn = 0;
  const auto sentence = [&](std::int64_t length, std::int64_t vocabulary) {
    length = std::min(static_cast<std::int64_t>(growth * static_cast<double>(length)), config.data.max_length);
    Ids ids;
    while (std::ssize(ids) < length - 1)
      ids.push_back(static_cast<Id>(random.below(static_cast<std::uint64_t>(vocabulary), drawn++)));
    ids.push_back(kEos);
    return ids;
  };
  Batch batch;
  for (const auto& [source, target] : lengths) {
    batch.source.push_back(sentence(source, vocabularies.source));
    batch.target.push_back(sentence(target, vocabularies.target));
  }
  return batch;
}

/// Updates random weights three times. Throws if memory runs out.
void update_thrice(const RunConfig& config, const ForeseenRun& run, Workers& workers) {
  const RandomStream random(1, "memory trial");
  auto model_config = config.model;
  model_config.max_positions = std::max(model_config.max_positions, config.data.max_length + 1);
  auto model = make_model(model_config, run.vocabularies, random);
  freeze(model, config.training.freeze);
  Adam adam(named_parameters(model), config.training, Adam::Path::kFastest, &workers);
  std::int64_t step = 0;
  for (const auto& lengths : batches_to_try(config, run.text.pairs())) {
    log_progress("measuring memory: update " + std::to_string(++step) + " of 3");
    const auto batch = random_batch(lengths, config, run.vocabularies, random.stream("ids"));
    auto sums = sum_over_shards(model, adam.trained(), workers, {&batch, 1}, random,
                                {.label_smoothing = config.training.label_smoothing,
                                 .precision = config.training.precision,
                                 .shards = config.training.shards,
                                 .int8 = config.training.quantize,
                                 .plain = config.plain});
    adam.set_gradients(std::move(sums.gradients));
    adam.step({.step = step});
  }
}

}  // namespace

TrainingNeeds training_needs(const RunConfig& config, const Vocabularies& vocabularies) {
  TrainingNeeds needs;
  const auto weights = network_weights(config.model, vocabularies);
  std::vector<std::string> names;
  for (const auto& [name, weight] : weights) names.push_back(name);
  const auto frozen = frozen_parameters(config.training.freeze, names);
  for (const auto& [name, weight] : weights) {
    std::int64_t count = 1;
    for (const auto size : weight.shape) count *= size;
    needs.parameters += count;
    if (!frozen.contains(name)) needs.trained_parameters += count;
  }
  needs.weights = needs.parameters * kFloatBytes;
  needs.gradients = needs.trained_parameters * kFloatBytes;
  needs.optimizer = (config.training.ema_decay > 0 ? 3 : 2) * needs.trained_parameters * kFloatBytes;
  needs.program = size_in_proc("/proc/self/status", "VmRSS:").value_or(0);
  // A lower bound for the memory of the backward pass on any path: the inputs of the products of one side.
  const auto& model = config.model;
  const auto kept = std::min(model.encoder_layers, model.decoder_layers) *
                    (6 * model.d_model + std::min(model.d_ff, model.decoder_d_ff()));
  constexpr std::int64_t kFewTokens = 256;  // of a batch that is split because memory runs out
  needs.min_batches = std::min(config.data.batch_tokens, kFewTokens) * kept * kFloatBytes;
  needs.model_file = needs.weights;
  needs.checkpoint = needs.weights + needs.optimizer;
  // The newest checkpoints or those of the average, the best one, and the one that is being written.
  needs.checkpoints = std::max(config.training.keep_checkpoints, config.training.average_last) + 2;
  if (config.training.average_last > 0)  // a whole file, and the doubles of it and of the sum
    needs.average = needs.checkpoint + 2 * needs.parameters * static_cast<std::int64_t>(sizeof(double));
  else if (config.training.early_stop.patience > 0)
    needs.average = needs.checkpoint;
  return needs;
}

TrainingNeeds training_needs(const RunConfig& config, const ForeseenRun& run) {
  auto needs = training_needs(config, run.vocabularies);
  needs.corpus_file = run.text.corpus_file;
  needs.unknown = run.text.unknown;
  if (config.trains_tokenizer())
    needs.tokenizer = tokenizer_training_bytes(config.tokenizer.type, run.text.training_bytes);
  const auto search = [&](const std::vector<std::int64_t>& sources, std::int64_t beam_size, std::int64_t length) {
    return search_bytes(config, run.vocabularies, needs.weights, sources, beam_size, length);
  };
  const auto &valid = run.text.valid, &test = run.text.test;
  const auto max_length = config.decoding.max_length;
  // A model that has learned little does not end a sentence; later a translation is hardly a quarter longer.
  needs.validation = search(valid, 1, max_length);
  const auto longest = test.empty() ? 0 : std::ranges::max(test);
  needs.test = search(test, config.decoding.beam_size, std::min(max_length, longest + longest / 4));
  return needs;
}

ForeseenRun foresee(const RunConfig& config) {
  const auto tokenizers = configured_tokenizers(config);
  const auto trained = config.tokenizer.vocabulary_size;
  return {tokenizers.first ? Vocabularies{tokenizers.first->vocabulary_size(), tokenizers.second->vocabulary_size()}
                           : Vocabularies{trained, trained},
          text_lengths(config, tokenizers)};
}

Json to_json(const TrainingNeeds& needs) {
  return {{"parameters", needs.parameters},
          {"trained_parameters", needs.trained_parameters},
          {"program", needs.program},
          {"weights", needs.weights},
          {"gradients", needs.gradients},
          {"optimizer", needs.optimizer},
          {"tokenizer", needs.tokenizer},
          {"tried", needs.tried},
          {"batches", needs.batches},
          {"validation", needs.validation},
          {"test", needs.test},
          {"average", needs.average},
          {"memory", needs.memory()},
          {"model_file", needs.model_file},
          {"checkpoint", needs.checkpoint},
          {"checkpoints", needs.checkpoints},
          {"corpus_file", needs.corpus_file},
          {"disk", needs.disk()}};
}

TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory) {
  Workers workers(at::get_num_threads());  // before the limit, which counts the whole stacks of threads
  give_back_memory();
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the count of the peak; without that it may be too high
  auto needs = training_needs(config, run);
  try {
    const MemoryLimit limit(memory);
    update_thrice(config, run, workers);
    needs.tried = true;
  } catch (...) {
    if (!is_out_of_memory()) throw;
  }
  const auto peak = size_in_proc("/proc/self/status", "VmHWM:").value_or(0);
  const auto reached = needs.tried ? peak : std::max(peak, needs.program + memory);
  needs.batches =
      std::max<std::int64_t>(reached - needs.program - needs.weights - needs.gradients - needs.optimizer, 0);
  give_back_memory();
  log_progress("");
  return needs;
}

}  // namespace gloss
