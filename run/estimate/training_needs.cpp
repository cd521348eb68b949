#include "run/estimate/training_needs.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "common/system/machine.h"
#include "model/weights.h"
#include "run/config/initial_weights.h"
#include "tokenizer/train_tokenizer.h"
#include "training/freeze.h"

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

}  // namespace gloss
