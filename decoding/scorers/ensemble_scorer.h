#pragma once

#include <memory>
#include <vector>

#include "decoding/scorer.h"

namespace gloss {

/// Several scorers as one. The probability of a token is the mean over the members, and so is the attention to a
/// position of the source, if all members have attention. The logits of a step are log-probabilities, so its
/// log-normalizer is 0, or NaN if a member's is not finite. On the CPU the bits of a row depend on the row alone, as
/// far as the members' do, and are the same for every kind of step.
class EnsembleScorer final : public Scorer, public DeviceScorer {
 public:
  /// A member that is given twice counts twice. Throws UsageError if there is none, or if their vocabularies or devices
  /// differ.
  explicit EnsembleScorer(std::vector<std::shared_ptr<const Scorer>> members);

  std::unique_ptr<State> start(const PaddedIds& source) const override;
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override;
  TopStep step_top(State& state, std::span<const Id> tokens, std::int64_t width,
                   const std::optional<AttentionSite>& site) const override;
  TokenScores step_forced(State& state, std::span<const Id> tokens, std::span<const Id> next) const override;
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override;
  std::int64_t vocabulary_size() const override { return members_.front()->vocabulary_size(); }
  /// Returns the least of the members'.
  std::int64_t max_target_length() const override;
  at::Device device() const override { return members_.front()->device(); }
  /// If all members have theirs, and not on the CPU, where the means are computed row by row.
  const DeviceScorer* on_device() const override;
  Step step_on_device(State& state, const at::Tensor& tokens) const override;
  void reorder(State& state, const at::Tensor& rows) const override;

 private:
  std::vector<Step> step_members(State& state, std::span<const Id> tokens,
                                 const std::optional<AttentionSite>& site) const;

  std::vector<std::shared_ptr<const Scorer>> members_;
};

/// Returns an EnsembleScorer of the members, or the only member itself. Throws as its constructor.
std::shared_ptr<const Scorer> make_ensemble(std::vector<std::shared_ptr<const Scorer>> members);

}  // namespace gloss
