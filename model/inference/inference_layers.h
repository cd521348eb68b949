#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "kernels/layer_norm_kernel.h"
#include "model/inference/packed_linear.h"
#include "model/model_config.h"

namespace gloss {

/// A layer norm's weights as its kernel wants them.
class InferenceNorm {
 public:
  InferenceNorm() = default;
  InferenceNorm(at::Tensor weight, at::Tensor bias);

  explicit operator bool() const { return weight_.defined(); }
  /// `rows` rows of x to y, which may be x.
  void apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y) const;

 private:
  at::Tensor weight_, bias_;
};

/// The attention of a layer to its own input.
struct InferenceSelfAttention {
  PackedLinear query, keys_and_values, output;
  InferenceNorm norm;
};

/// The attention of a decoder's layer to the memory, whose keys and values are made once a sentence for all layers.
struct InferenceCrossAttention {
  PackedLinear query, output;
  InferenceNorm norm;
};

struct InferenceFeedForward {
  PackedLinear inner, outer;
  InferenceNorm norm;
};

struct InferenceEncoderLayer {
  InferenceSelfAttention self_attention;
  InferenceFeedForward feed_forward;
};

struct InferenceDecoderLayer {
  InferenceSelfAttention self_attention;
  InferenceCrossAttention cross_attention;
  InferenceFeedForward feed_forward;
};

/// A model's weights, packed for translating on the CPU: a copy, which later training does not touch.
struct InferenceWeights {
  std::vector<InferenceEncoderLayer> encoder;
  std::vector<InferenceDecoderLayer> decoder;
  PackedLinear memory;                       ///< D to decoder layers * (keys, values), 2D each
  InferenceNorm encoder_norm, decoder_norm;  ///< none without `final_norm`
  PackedLinear generator;
  at::Tensor source_embedding, target_embedding;  ///< [V, D]
};

/// From the parameters of an EncoderDecoder by their names in a model file (docs/file_formats.md); matrices that are
/// multiplied with are rounded to `precision`.
InferenceWeights inference_weights(const torch::nn::Module& model, const ModelConfig& config,
                                   kernels::Precision precision);

}  // namespace gloss
