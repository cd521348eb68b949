#pragma once

#include <string>
#include <vector>

#include "model/alternatives/gru.h"
#include "model/encoder.h"

namespace gloss {

/// One layer of the recurrent encoder: a GRU from left to right and one from right to left (Schuster and Paliwal 1997),
/// D / 2 units each, side by side.
class RecurrentEncoderLayerImpl : public torch::nn::Module {
 public:
  explicit RecurrentEncoderLayerImpl(std::int64_t d_model);

  /// Maps x [B, S, D] to [B, S, D]. At a position that `mask` hides the states stay as they are; so the last state of
  /// each direction is at the end of the tensor, whatever the length of the sentence.
  at::Tensor forward(const at::Tensor& x, const Mask& mask, const Pass& pass);

 private:
  Gru forward_, backward_;
};
TORCH_MODULE(RecurrentEncoderLayer);

/// The encoder of Bahdanau et al. 2015 (section 3.2): a stack of bidirectional GRUs with dropout after each. The
/// recurrence gives the order of the tokens, so positions are not added to its input.
class RecurrentEncoderImpl final : public EncoderImpl {
 public:
  explicit RecurrentEncoderImpl(const ModelConfig& config);

  at::Tensor forward(const at::Tensor& x, const Mask& mask, const Pass& pass) override;

 private:
  double dropout_;
  std::vector<RecurrentEncoderLayer> layers_;
};

}  // namespace gloss
