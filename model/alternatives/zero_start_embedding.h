#pragma once

#include <cstdint>

#include "model/embedding.h"

namespace gloss {

/// An embedding of the target for a decoder that starts from the zero vector in place of the embedding of bos, as in
/// Marian. The rows of pad and bos get no gradient, also not from a generator that is tied to them, so training keeps
/// them zero. A source has no bos, so an embedding of both sides may be of this kind, too.
class ZeroStartEmbedding final : public EmbeddingImpl {
 public:
  ZeroStartEmbedding(std::int64_t vocabulary, std::int64_t d_model, EmbeddingScale scale);

  /// Computes the embeddings, 0 for bos.
  at::Tensor forward(const at::Tensor& ids, const Pass& pass) override;

  /// Sets the rows of pad and bos to zero, after weights were drawn or taken from elsewhere.
  void reset_zero_rows();
};

}  // namespace gloss
