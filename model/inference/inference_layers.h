#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/kernel_table.h"
#include "kernels/layer_norm_kernel.h"
#include "model/inference/packed_linear.h"
#include "model/model_config.h"
#include "model/storage/lazy_model.h"

namespace gloss {

/// A layer norm's weights in the layout of its kernel.
class InferenceNorm {
 public:
  InferenceNorm() = default;
  InferenceNorm(at::Tensor weight, at::Tensor bias, double epsilon);

  explicit operator bool() const { return weight_.defined(); }
  /// Normalizes `rows` rows of x to y, which may be x.
  void apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y) const;

 private:
  at::Tensor weight_, bias_;
  float epsilon_ = 0;
};

/// Self-attention of a layer.
struct InferenceSelfAttention {
  PackedLinear query, keys_and_values, output;
  InferenceNorm norm;
};

/// The recurrence of a decoder layer (model/alternatives/ssru.h), in the place of self-attention.
struct InferenceRecurrence {
  PackedLinear value_and_gate;
  InferenceNorm norm;
};

/// Cross-attention of a decoder layer. The keys and values of the memory are computed once per sentence for all layers.
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
  InferenceSelfAttention self_attention;  ///< one of the two is empty (ModelConfig::has_decoder_self_attention)
  InferenceRecurrence recurrence;
  InferenceCrossAttention cross_attention;
  InferenceFeedForward feed_forward;
};

/// A model's weights, packed for translating on the CPU: in memory of their own, or mapped from a file of the cache.
struct InferenceWeights {
  std::vector<InferenceEncoderLayer> encoder;
  std::vector<InferenceDecoderLayer> decoder;
  PackedLinear memory;                                         ///< maps D to decoder layers * (keys, values), 2D each
  InferenceNorm encoder_norm, decoder_norm;                    ///< empty without `final_norm`
  InferenceNorm source_embedding_norm, target_embedding_norm;  ///< empty without `embedding_norm`
  PackedLinear generator;
  StoredWeight source_embedding, target_embedding;  ///< [V, D], not rounded further
  at::Tensor generator_rows;  ///< [V, D]: the generator's weight in the precision of products, for lists of its outputs
};

/// Packs the weights of an EncoderDecoder, found by their names in a model file (docs/file_formats.md), one after the
/// other. The matrices of products are rounded to `precision`. Weights that `packed` has already are not read; the
/// others are added to it. `lists`: generator_rows are needed.
InferenceWeights inference_weights(const WeightSource& weights, const ModelConfig& config, kernels::Precision precision,
                                   bool lists, PackedTensors& packed);
/// Returns the key of packed weights in a cache: all that their bytes depend on.
std::string packed_key(const std::string& header_sum, kernels::Precision precision, kernels::InstructionSet set);

/// Packs likewise, or maps what an earlier call with the same model file and instruction set stored in `model.cache`.
InferenceWeights inference_weights(const LazyModel& model, const ModelConfig& config, kernels::Precision precision);

}  // namespace gloss
