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
  /// Throws as EncoderDecoderModules::register_in does.
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

  /// Decoding token by token (decoder_cache.cpp), in a pass without training and without gradients:
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

  const Generator& generator() const { return modules_.generator; }
  const PositionalEncoding& source_positions() const { return modules_.source.positions; }
  const PositionalEncoding& target_positions() const { return modules_.target.positions; }
  at::Device device() const;  ///< of the weights

 private:
  /// Computes Dropout(embeddings [B, T, D] + positions [T, D]) of ids [B, T] (sections 3.5 and 5.4), with the norm of
  /// the sum, if there is one; token 0 of ids is token `first` of the sentence. A probe receives the result of the norm
  /// at `site` + "_norm".
  at::Tensor embed(InputModules& side, const at::Tensor& ids, std::int64_t first, const Pass& pass,
                   const std::string& site) const;
  /// Returns the mask over the positions of `source` [B, S, D], as changed by the pass's probe.
  static Mask probed_mask(const Mask& mask, const at::Tensor& source, const Pass& pass);

  EncoderDecoderModules modules_;
};
TORCH_MODULE(EncoderDecoder);

}  // namespace gloss
