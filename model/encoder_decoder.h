#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/decoder.h"
#include "model/decoder_cache.h"
#include "model/embedding.h"
#include "model/encoder.h"
#include "model/generator.h"
#include "model/mask.h"
#include "model/padding.h"
#include "model/pass.h"
#include "model/positional_encoding.h"

namespace gloss {

/// What an EncoderDecoder is made of. A part may stand in two places (tied embeddings); it is registered once.
struct EncoderDecoderParts {
  Encoder encoder{nullptr};
  Decoder decoder{nullptr};
  Embedding source_embedding{nullptr};
  Embedding target_embedding{nullptr};  ///< the source's where all are tied
  PositionalEncoding source_positions{nullptr};
  PositionalEncoding target_positions{nullptr};
  Generator generator{nullptr};
  double dropout = 0;  ///< on embeddings plus positions (section 5.4)
};

/// The Transformer (Vaswani et al. 2017, figure 1): the encoder maps the source (x_1, ..., x_S) to a memory
/// (z_1, ..., z_S); the decoder, given the memory and what was said so far, puts out one vector a position, from which
/// the generator makes the distribution of the next token.
class EncoderDecoderImpl : public torch::nn::Module {
 public:
  /// Throws Error, a fault of the caller, where a part is missing or the generator borrows a weight that is not the
  /// target embedding's, and ShapeError where the parts differ in width or in the target's vocabulary.
  explicit EncoderDecoderImpl(const EncoderDecoderParts& parts);

  /// source and target input to the decoder's output [B, T, D]; `generator()` turns it into log-probabilities.
  at::Tensor forward(const PaddedIds& source, const PaddedIds& target, const Pass& pass);

  /// source [B, S] to memory [B, S, D]; padding is hidden.
  at::Tensor encode(const PaddedIds& source, const Pass& pass);
  /// The same where `mask` over the S positions says what is hidden: Mask::padding(source.lengths).hiding(...). A
  /// position is hidden from the decoder by giving `decode` or `start` the same mask.
  at::Tensor encode(const PaddedIds& source, const Mask& mask, const Pass& pass);
  /// target [B, T] (bos first) to the decoder's output [B, T, D]; position t sees targets 0 to t only.
  at::Tensor decode(const PaddedIds& target, const at::Tensor& memory, const Mask& source_mask, const Pass& pass);

  /// A cache for decoding token by token, one row a sentence: cross-attention's keys and values are computed here,
  /// once.
  DecoderCache start(const at::Tensor& memory, const Mask& source_mask);
  /// The next tokens [B, K] of K rows a sentence to the decoder's output [B * K, D], equal to the last position of
  /// `decode` on all that was said; the cache grows by one position.
  at::Tensor step(const at::Tensor& tokens, DecoderCache& cache, const Pass& pass);

  const Generator& generator() const { return generator_; }
  const PositionalEncoding& source_positions() const { return source_positions_; }
  const PositionalEncoding& target_positions() const { return target_positions_; }
  at::Device device() const;

 private:
  at::Tensor embed(const at::Tensor& tokens, const at::Tensor& positions, const Pass& pass, std::string_view site);

  Encoder encoder_;
  Decoder decoder_;
  Embedding source_embedding_, target_embedding_;
  PositionalEncoding source_positions_, target_positions_;
  Generator generator_;
  double dropout_;
};
TORCH_MODULE(EncoderDecoder);

}  // namespace gloss
