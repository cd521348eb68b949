#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>

#include "common/random.h"

namespace gloss {

/// Reads, or changes, values inside a forward pass. A site is the prefix of a part's tensor names, such as
/// "decoder.layers.2.cross_attention".
class Probe {
 public:
  virtual ~Probe() = default;
  /// Attention weights [B, H, T, S] before dropout; may be changed in place, for example to switch off a head. In a
  /// step of decoding, self-attention has [B * K, H, 1, positions] and cross-attention [B, H, K, S].
  virtual void attention(std::string_view site, at::Tensor& weights) = 0;
  /// The output [B, T, D] of a sublayer ("....feed_forward"), a layer ("encoder.layers.0") or a stack ("encoder"); in
  /// a step of decoding [B * K, 1, D].
  virtual void output(std::string_view site, const at::Tensor& value) = 0;
};

/// The settings of one forward pass. It is an argument of every forward; no module stores it.
struct Pass {
  bool training = false;                 ///< dropout on
  const RandomStream* random = nullptr;  ///< numbers for dropout; required where training
  Probe* probe = nullptr;                ///< sees attention weights and outputs; none by default
  /// Only the equations of model/ run, by LibTorch's operators. Otherwise fast twins run where there are any
  /// (model/fast/dispatch.h): the same numbers to rounding.
  bool plain = false;

  /// The stream of random numbers of the dropout at `site`. Throws Error, a fault of the caller, without `random`.
  RandomStream stream(std::string_view site) const;
};

/// A pass as one attention sees it.
struct AttentionContext {
  const Pass& pass;
  std::string_view site;  ///< for the probe and for the stream of random numbers
  double dropout = 0;     ///< on the weights, while training
};

}  // namespace gloss
