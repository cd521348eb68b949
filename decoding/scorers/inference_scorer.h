#pragma once

#include "decoding/scorer.h"
#include "model/inference/inference_model.h"
#include "model/storage/stored_weights.h"

namespace gloss {

/// The scorer of an InferenceModel, for the CPU. The scores of a row depend on that row and its sentence alone, bit for
/// bit.
class InferenceScorer final : public Scorer {
 public:
  /// Scores targets of at most `max_target_length` tokens, eos included.
  InferenceScorer(const LazyModel& model, const ModelConfig& config, std::int64_t max_target_length,
                  WeightPrecision precision = WeightPrecision::kFloat32);

  std::unique_ptr<State> start(const PaddedIds& source) const override;
  std::unique_ptr<State> start_with_shortlist(const PaddedIds& source, std::span<const Ids> wanted) const override;
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override;
  at::Tensor step_attention(State& state, std::span<const Id> tokens, const AttentionSite& site) const override;
  TopStep step_top(State& state, std::span<const Id> tokens, std::int64_t width,
                   const std::optional<AttentionSite>& site) const override;
  TokenScores step_forced(State& state, std::span<const Id> tokens, std::span<const Id> next) const override;
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override;
  std::int64_t vocabulary_size() const override { return model_.vocabulary_size(); }
  std::int64_t max_target_length() const override { return max_target_length_; }
  at::Device device() const override { return at::kCPU; }

 private:
  InferenceModel model_;
  std::int64_t max_target_length_;
};

}  // namespace gloss
