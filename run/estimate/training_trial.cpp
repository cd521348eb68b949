#include "run/estimate/training_trial.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>

#include "common/log/log.h"
#include "common/random.h"
#include "common/special_ids.h"
#include "common/system/memory.h"
#include "data/length_batches.h"
#include "decoding/scorers/make_scorer.h"
#include "decoding/search.h"
#include "decoding/search_hooks.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "tensor/runtime.h"
#include "tensor/workers.h"
#include "training/adam.h"
#include "training/freeze.h"
#include "training/shard_passes.h"

namespace gloss {
namespace {

constexpr std::array<PairLengths, 4> kUsualLengths{{{12, 12}, {20, 16}, {32, 28}, {56, 40}}};  // without a text
constexpr std::int64_t kNumberBytes = sizeof(float);
constexpr double kTrialOperations = 4e12;  // of all batches of a trial: some forty seconds of two processors
constexpr std::int64_t kMaxBatches = 24, kMinBatches = 4;

/// Returns the peak memory of `work` beyond the memory in use now. The figure may be too high if the system cannot
/// reset its count of the peak.
std::int64_t peak_of(const std::function<void()>& work) {
  give_back_memory();
  std::ofstream("/proc/self/clear_refs") << 5;
  const auto before = resident_bytes();
  work();
  return std::max<std::int64_t>(size_in_proc("/proc/self/status", "VmHWM:").value_or(0) - before, 0);
}

/// Draws sentences of random ids.
class RandomIds {
 public:
  explicit RandomIds(const RandomStream& random) : random_(random) {}

  /// Returns `length` ids: pieces and eos.
  Ids sentence(std::int64_t length, std::int64_t vocabulary) {
    Ids ids;
    while (std::ssize(ids) < length - 1)
      ids.push_back(static_cast<Id>(random_.below(static_cast<std::uint64_t>(vocabulary), drawn_++)));
    ids.push_back(kEos);
    return ids;
  }

 private:
  RandomStream random_;
  std::uint64_t drawn_ = 0;
};

std::int64_t positions_of(const std::vector<PairLengths>& batch) {
  return std::ranges::max(batch, {}, &PairLengths::longer).longer() * std::ssize(batch);
}

/// Returns `count` batches from the shortest to the longest sentences, the smallest batch first. A batch of three
/// quarters of the largest precedes them: batches of a run differ in size, and few blocks that the allocator caches fit
/// another size.
std::vector<std::vector<PairLengths>> trial_batches(std::vector<PairLengths> pairs, std::int64_t tokens,
                                                    std::int64_t count) {
  if (pairs.empty())
    for (const auto& usual : kUsualLengths)
      pairs.insert(pairs.end(), std::max<std::int64_t>(tokens / usual.longer(), 1), usual);
  const auto all = batches_by_length(pairs, tokens);
  count = std::min(count, std::ssize(all));
  std::vector<std::vector<PairLengths>> chosen;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = i * (std::ssize(all) - 1) / std::max<std::int64_t>(count - 1, 1);
    auto& batch = chosen.emplace_back();
    for (const auto pair : all[static_cast<std::size_t>(place)]) batch.push_back(pairs[static_cast<std::size_t>(pair)]);
  }
  std::ranges::sort(chosen, {}, positions_of);
  auto smaller = chosen.back();
  smaller.resize((3 * smaller.size() + 3) / 4);
  chosen.insert(chosen.begin(), std::move(smaller));
  return chosen;
}

/// Returns an upper bound for the bytes that a token takes for the backward pass, so that a trial is safe.
std::int64_t max_bytes_of_token(const RunConfig& config, const Vocabularies& vocabularies) {
  const auto& model = config.model;
  const auto layers = model.encoder_layers + model.decoder_layers;
  const bool additive = model.attention_score == AttentionScore::kAdditive || !model.is_transformer();
  // Additive scores have a hidden layer for each pair of positions, in up to two attentions of a layer.
  const auto pairs = additive ? 4 * config.data.max_length * model.d_model : 0;
  return kNumberBytes *
         (layers * (40 * model.d_model + 6 * std::max(model.d_ff, model.decoder_d_ff()) + 200 * model.heads + pairs) +
          8 * vocabularies.target);
}

/// Shows "measuring memory: batches of 4096 tokens, 3 of 15". Each part starts again at 1.
void show_progress(const std::string& part, std::size_t done, std::size_t all) {
  log_progress("measuring memory: " + part + ", " + std::to_string(std::min(done, all)) + " of " + std::to_string(all));
}

/// The model of a run with random weights.
class Trial {
 public:
  Trial(const RunConfig& config, const ForeseenRun& run) : config_(config), run_(run), model_config_(config.model) {
    model_config_.max_positions =
        std::max({model_config_.max_positions, config.data.max_length + 1, config.decoding.max_length + 1});
    model_ = make_model(model_config_, run.vocabularies, random_);
    freeze(model_, config.training.freeze);
    for (const auto& [name, parameter] : named_parameters(model_))
      if (parameter.requires_grad()) trained_.push_back(parameter);
  }

  /// Returns the memory of forward and backward passes in bytes, gradients included.
  std::int64_t batches(std::int64_t tokens, std::int64_t count) {
    const double growth = growth_by_sampling(config_);
    const auto grown = [&](std::int64_t length) {
      return std::min(static_cast<std::int64_t>(growth * static_cast<double>(length)), config_.data.max_length);
    };
    const auto chosen = trial_batches(run_.text.pairs(), tokens, count);
    return peak_of([&] {
      std::size_t tried = 0;
      for (const auto& pairs : chosen) {
        show_progress("batches of " + std::to_string(tokens) + " tokens", ++tried, chosen.size());
        Batch batch;
        for (const auto& [source, target] : pairs) {
          batch.source.push_back(ids_.sentence(grown(source), run_.vocabularies.source));
          batch.target.push_back(ids_.sentence(grown(target), run_.vocabularies.target));
        }
        sum_over_shards(model_, trained_, workers_, {&batch, 1}, random_,
                        {.label_smoothing = config_.training.label_smoothing,
                         .precision = config_.training.precision,
                         .shards = config_.training.shards,
                         .plain = config_.plain});
      }
    });
  }

  /// Returns the memory of a search in bytes, with the scorer's copy of the weights. It searches for translations of
  /// the longest sources, of `length` tokens each.
  std::int64_t search(std::vector<std::int64_t> sources, std::int64_t beam_size, std::int64_t length) {
    if (sources.empty()) return 0;
    std::ranges::sort(sources, std::ranges::greater());
    auto decoding = config_.decoding;
    if (std::ssize(sources) > decoding.batch_size) sources.resize(static_cast<std::size_t>(decoding.batch_size));
    decoding.beam_size = beam_size;
    decoding.n_best = 1;
    const auto rows = std::ssize(sources) * beam_size;
    const auto operations = 2 * static_cast<double>(count_parameters(config_.model, run_.vocabularies) * rows);
    const auto affordable = std::max<std::int64_t>(static_cast<std::int64_t>(kTrialOperations / 4 / operations), 8);
    decoding.max_length = std::min(length, affordable);
    decoding.min_length = decoding.max_length;
    std::vector<Ids> ids;
    for (const auto source : sources) ids.push_back(ids_.sentence(source, run_.vocabularies.source));
    SearchHooks hooks;
    hooks.before_step = [&, step = std::size_t{0}]() mutable {
      show_progress("a search, beam " + std::to_string(beam_size), ++step,
                    static_cast<std::size_t>(decoding.max_length));
    };
    const auto peak = peak_of([&] {
      // As make_translator does for a validation and for the test set.
      const auto scorer = make_scorer(model_, model_config_, DecodingConfig::kMaxTargetLength);
      const auto padded = pad(ids, at::kCPU);
      if (beam_size > 1)
        beam_search(*scorer, padded, decoding, {}, hooks);
      else
        greedy_search(*scorer, padded, decoding, {}, hooks);
    });
    // Keys and values of the positions that were not generated, and their copies when rows are reordered.
    const auto position = 4 * config_.model.decoder_layers * rows * config_.model.d_model * kNumberBytes;
    return peak + (length - decoding.max_length) * position;
  }

 private:
  const RunConfig& config_;
  const ForeseenRun& run_;
  ModelConfig model_config_;
  RandomStream random_{1, "memory trial"};
  RandomIds ids_{random_.stream("ids")};
  EncoderDecoder model_{nullptr};
  std::vector<at::Tensor> trained_;
  Workers workers_{at::get_num_threads()};
};

}  // namespace

TrainingNeeds try_training(const RunConfig& config, const ForeseenRun& run, std::int64_t memory) {
  auto needs = training_needs(config, run);
  const auto wanted = config.data.batch_tokens;
  const auto tokens_to_try =
      static_cast<std::int64_t>(kTrialOperations / kOperationsPerWeight / static_cast<double>(needs.parameters));
  const auto safe = (memory - needs.weights - needs.gradients) / 2 / max_bytes_of_token(config, run.vocabularies);
  const auto tokens =
      std::min({wanted, std::max(tokens_to_try / kMinBatches, kMinTrialTokens), std::max(safe, kMinTrialTokens)});
  const auto count = std::clamp(tokens_to_try / tokens, kMinBatches, kMaxBatches);

  Trial trial(config, run);
  trial.batches(kMinTrialTokens, 1);  // libraries take memory of their own at the first call
  give_back_memory();
  needs.program = std::max<std::int64_t>(resident_bytes() - needs.weights, 0);
  needs.batches = trial.batches(tokens, count);
  if (tokens < wanted) {
    const std::int64_t few = tokens / 4;
    const auto of_token =
        static_cast<double>(needs.batches - trial.batches(few, count)) / static_cast<double>(tokens - few);
    needs.batches += static_cast<std::int64_t>(std::max(of_token, 0.0) * static_cast<double>(wanted - tokens));
  }
  needs.batches = std::max<std::int64_t>(needs.batches - needs.gradients, 0);  // one set of gradients is in both
  needs.tried = true;
  const auto &valid = run.text.valid, &test = run.text.test;
  needs.validation = trial.search(valid, 1, config.decoding.max_length);
  if (!test.empty()) {
    const auto max_length = std::ranges::max(test);
    needs.test = trial.search(test, config.decoding.beam_size,
                              std::min(config.decoding.max_length, max_length + max_length / 4));
  }
  log_progress("");
  return needs;
}

}  // namespace gloss
