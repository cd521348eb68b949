#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "model/layer_norm.h"
#include "model/model_config.h"
#include "model/pass.h"

namespace gloss {

/// The residual connection and layer normalization around each sublayer (section 3.1, dropout section 5.4):
///
///     post-norm, as in the paper:          LayerNorm(x + Dropout(Sublayer(x)))
///     pre-norm (Xiong et al. 2020):        x + Dropout(Sublayer(LayerNorm(x)))
///
/// Without the residual connection x is not added. With pre-norm no norm lies on the residual path, so gradients reach
/// the first layer directly and deep stacks train without a long warm-up.
class SublayerConnection {
 public:
  using Sublayer = std::function<at::Tensor(const at::Tensor&)>;

  /// `sublayer` and `norm` belong to the layer, which registers them; the connection has the sublayer's site. Place,
  /// dropout and residual are those of `config`.
  SublayerConnection(const SitedModule& sublayer, Norm norm, const ModelConfig& config);

  /// Maps x [B, T, D] to [B, T, D]. A probe receives the output of the sublayer itself.
  at::Tensor operator()(const at::Tensor& x, const Sublayer& sublayer, const Pass& pass);

 private:
  const SitedModule& sublayer_;
  Norm norm_;
  NormPlace place_;
  bool residual_;
  double dropout_;
};

}  // namespace gloss
