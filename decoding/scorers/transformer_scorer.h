#pragma once

#include <memory>

#include "decoding/scorer.h"
#include "model/encoder_decoder.h"

namespace gloss {

/// Scorer of an EncoderDecoder: computes a batch of sentences at a time, without gradients.
class TransformerScorer final : public Scorer, public DeviceScorer {
 public:
  /// Scores targets of at most `max_target_length` tokens, eos included. `probe` receives every pass and
  /// may change it. Threads that share the scorer share it, too.
  TransformerScorer(EncoderDecoder model, std::int64_t max_target_length, bool plain = false,
                    std::shared_ptr<Probe> probe = nullptr);

  std::unique_ptr<State> start(const PaddedIds& source) const override;
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override;
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override;
  std::int64_t vocabulary_size() const override;
  std::int64_t max_target_length() const override { return max_target_length_; }
  at::Device device() const override;
  /// With a probe, which must not see more steps than a search takes, the host decides.
  const DeviceScorer* on_device() const override { return probe_ == nullptr ? this : nullptr; }
  Step step_on_device(State& state, const at::Tensor& tokens) const override;
  void reorder(State& state, const at::Tensor& rows) const override;

 private:
  Step step(State& state, const at::Tensor& tokens, const Pass& pass) const;

  mutable EncoderDecoder model_;  ///< torch's forward is not const; what changes, a table of positions, has a lock
  std::int64_t max_target_length_;
  bool plain_;
  std::shared_ptr<Probe> probe_;
};

}  // namespace gloss
