#include "model/embedding.h"

#include <cmath>

#include <ATen/ops/embedding.h>

#include "common/special_ids.h"
#include "model/int8_rounding.h"
#include "tensor/new_weight.h"
#include "tensor/shape.h"

namespace gloss {

EmbeddingImpl::EmbeddingImpl(std::int64_t vocabulary, std::int64_t d_model, EmbeddingScale scale)
    : weight_(register_parameter("weight", new_weight({vocabulary, d_model}))), scale_(scale) {}

at::Tensor EmbeddingImpl::forward(const at::Tensor& ids, const Pass& pass) {
  expect_dimensions(ids, 2, "ids");
  // The row of kPad gets no gradient from the lookup. A tied generator still gives it one, as to every piece.
  const auto rows = at::embedding(rounded_weight(weight_, pass.int8), ids, kPad);  // [B, T, D]
  return scale_ == EmbeddingScale::kOne ? rows : rows * std::sqrt(static_cast<double>(weight_.size(1)));
}

}  // namespace gloss
