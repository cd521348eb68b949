#include "model/alternatives/zero_start_embedding.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "common/special_ids.h"

namespace gloss {
namespace {

// Sets the rows of pad and bos of a matrix [V, D] to zero.
void clear_rows(const at::Tensor& matrix) {
  for (const auto id : {kPad, kBos}) matrix.select(0, id).zero_();
}

}  // namespace

ZeroStartEmbedding::ZeroStartEmbedding(std::int64_t vocabulary, std::int64_t d_model, EmbeddingScale scale)
    : EmbeddingImpl(vocabulary, d_model, scale) {
  weight().register_hook([](const at::Tensor& gradient) {
    const auto rest = gradient.clone();  // the gradient may be shared
    clear_rows(rest);
    return rest;
  });
}

at::Tensor ZeroStartEmbedding::forward(const at::Tensor& ids, const Pass& pass) {
  return EmbeddingImpl::forward(ids, pass).masked_fill(ids.eq(kBos).unsqueeze(-1), 0);
}

void ZeroStartEmbedding::reset_zero_rows() {
  const at::NoGradGuard no_grad;
  clear_rows(weight());
}

}  // namespace gloss
