#include "model/alternatives/rotary_positions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include "model/positional_encoding.h"
#include "tensor/shape.h"

namespace gloss {

at::Tensor rotate(const at::Tensor& heads, std::int64_t first) {
  const auto [B, H, T, d_k] = sizes<4>(heads, "heads");
  // Column 2i of the sinusoids is the sine of the angle of pair i, column 2i + 1 its cosine.
  const auto angles = sinusoids(first, T, d_k).to(heads.device()).view({T, d_k / 2, 2});  // [T, d_k / 2, 2]
  const auto sine = angles.select(-1, 0), cosine = angles.select(-1, 1);                  // [T, d_k / 2] each
  const auto pairs = heads.reshape({B, H, T, d_k / 2, 2});
  const auto x = pairs.select(-1, 0), y = pairs.select(-1, 1);  // [B, H, T, d_k / 2] each
  return at::stack({x * cosine - y * sine, x * sine + y * cosine}, -1).flatten(-2);
}

at::Tensor RotaryScores::forward(const at::Tensor& query, const at::Tensor& key) {
  return inner_(rotate(query, key.size(2) - query.size(2)), rotate(key, 0));
}

}  // namespace gloss
