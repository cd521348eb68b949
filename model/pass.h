#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>

#include "common/random.h"

namespace gloss {

/// Looks at, or changes, what flows through a forward pass. A site is the prefix of the tensor names of a part, such as
/// "decoder.layers.2.cross_attention".
class Probe {
 public:
  virtual ~Probe() = default;
  /// Attention weights [B, H, T, S] before dropout; may be changed in place, for example to switch off a head. While
  /// decoding step by step, self-attention has [B * K, H, 1, positions] and cross-attention [B, H, K, S].
  virtual void attention(std::string_view site, at::Tensor& weights) = 0;
  /// What a sublayer ("....feed_forward"), a layer ("encoder.layers.0") or a stack ("encoder") put out, [B, T, D];
  /// while decoding step by step [B * K, 1, D], at every site.
  virtual void output(std::string_view site, const at::Tensor& value) = 0;
};

/// What one forward pass is for. Handed down every call; no module remembers it.
struct Pass {
  bool training = false;                 ///< dropout on
  const RandomStream* random = nullptr;  ///< numbers for dropout; required where training
  Probe* probe = nullptr;                ///< without one, and with no attention weight to drop, the fused paths run
};

/// A pass as one attention sees it.
struct AttentionContext {
  const Pass& pass;
  std::string_view site;  ///< for the probe and for the stream of random numbers
  double dropout = 0;     ///< on the weights, while training
};

}  // namespace gloss
