#pragma once

#include "decoding/scorer.h"
#include "decoding/scorers/transformer_scorer.h"

namespace gloss {

/// Scorer of an EncoderDecoder: computes only the equations of model/ (Pass::plain). Each sentence has a state of its
/// own and is computed by itself, on one thread of the CPU. A translation's bits therefore depend on its sentence
/// alone: not on the batch, the order or the number of threads.
class PlainScorer final : public Scorer {
 public:
  /// Scores targets of at most `max_target_length` tokens, eos included.
  PlainScorer(const EncoderDecoder& model, std::int64_t max_target_length);

  std::unique_ptr<State> start(const PaddedIds& source) const override;
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override;
  /// Throws ShapeError if a sentence is named twice.
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override;
  std::int64_t vocabulary_size() const override { return model_.vocabulary_size(); }
  std::int64_t max_target_length() const override { return model_.max_target_length(); }
  at::Device device() const override { return model_.device(); }

 private:
  TransformerScorer model_;
};

}  // namespace gloss
