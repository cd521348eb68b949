#pragma once

#include <string>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/decoder_cache.h"
#include "model/encoder_decoder_modules.h"
#include "model/mask.h"
#include "model/padding.h"
#include "model/pass.h"

namespace gloss {

/// The Transformer (Vaswani et al. 2017, figure 1). The encoder maps the source (x_1, ..., x_S) to a memory
/// (z_1, ..., z_S). The decoder maps the memory and the tokens generated so far to one vector for each position. The
/// generator maps that vector to the distribution of the next token.
///
/// `forward`, `encode`, `decode` and `step` throw UsageError if a sentence is longer than the learned positions. They
/// and `start` throw ShapeError if ids, lengths, mask or memory do not fit.
class EncoderDecoderImpl : public torch::nn::Module {
 public:
  /// Throws as EncoderDecoderModules::validate does.
  explicit EncoderDecoderImpl(const EncoderDecoderModules& modules);

  /// Maps source ids [B, S] and target ids [B, T] (bos first) to the decoder's output [B, T, D]; `generator()` maps it
  /// to log-probabilities.
  at::Tensor forward(const PaddedIds& source, const PaddedIds& target, const Pass& pass);

  /// Maps the source [B, S] to the memory [B, S, D]; padding is hidden.
  at::Tensor encode(const PaddedIds& source, const Pass& pass);
  /// Encodes with another mask over the S positions, such as Mask::padding(source.lengths).hiding(...). `decode` and
  /// `start` take the same mask.
  at::Tensor encode(const PaddedIds& source, const Mask& mask, const Pass& pass);
  /// Maps the target [B, T] (bos first) and the memory [B, S, D] to the decoder's output [B, T, D]; position t sees
  /// targets 0 to t only.
  at::Tensor decode(const PaddedIds& target, const at::Tensor& memory, const Mask& source_mask, const Pass& pass);

  /// Decoding token by token (decoder_step.cpp), in a pass without training and without gradients:
  ///
  ///     const c10::InferenceMode inference;
  ///     auto cache = model->start(model->encode(source, pass), Mask::padding(source.lengths), pass);
  ///     auto tokens = at::full({B, 1}, kBos, at::kLong);       // [B, K]; K = 1 at first
  ///     const auto x = model->step(tokens, cache, pass);       // [B * K, D]
  ///     const auto log_p = model->generator()->forward(x);     // [B * K, V]
  ///     cache.select(kept, parents);                           // keep, reorder, widen to [B', K']
  ///
  /// `start` computes the keys and values of cross-attention from the memory [B, S, D] and returns a cache of one row
  /// for each sentence.
  DecoderCache start(const at::Tensor& memory, const Mask& source_mask, const Pass& pass);
  /// Maps the next tokens [B, K] to the decoder's output [B * K, D], K rows for each sentence. Equal, to rounding, to
  /// the last position of `decode` on all tokens so far. The cache grows by one position.
  at::Tensor step(const at::Tensor& tokens, DecoderCache& cache, const Pass& pass);

  /// Sets the rows of pad and bos of the target's embedding to zero if the decoder starts from zero
  /// (ModelConfig::starts_from_zero); otherwise it does nothing. Those rows get no gradient, so training keeps them.
  void clear_unread_rows();

  const Generator& generator() const { return generator_; }
  const PositionalEncoding& source_positions() const { return source_positions_; }
  const PositionalEncoding& target_positions() const { return target_positions_; }
  at::Device device() const;  ///< of the weights

 private:
  /// Returns the embeddings of the decoder's input [B, T, D]; zero for bos if the decoder starts from zero.
  at::Tensor target_embeddings(const at::Tensor& ids);
  /// Computes Dropout(embeddings [B, T, D] + positions [T, D]) (sections 3.5 and 5.4), with the norm before dropout if
  /// it is not null. A probe receives the result of the norm at `site` + "_norm".
  at::Tensor add_positions(const at::Tensor& embeddings, const at::Tensor& positions, Norm& norm, const Pass& pass,
                           const std::string& site) const;
  /// Returns the mask over the positions of `source` [B, S, D], as changed by the pass's probe.
  static Mask probed_mask(const Mask& mask, const at::Tensor& source, const Pass& pass);

  Encoder encoder_;
  Decoder decoder_;
  Embedding source_embedding_, target_embedding_;
  PositionalEncoding source_positions_, target_positions_;
  Norm source_embedding_norm_, target_embedding_norm_;
  Generator generator_;
  double dropout_;
  bool starts_from_zero_;
};
TORCH_MODULE(EncoderDecoder);

}  // namespace gloss
