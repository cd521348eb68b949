#pragma once

#include <functional>
#include <string>

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
/// With pre-norm x itself reaches the last layer unchanged, so that deep stacks train without a long warm-up.
class SublayerConnection {
 public:
  using Sublayer = std::function<at::Tensor(const at::Tensor&)>;

  /// `norm` belongs to the layer, which registers it. `site` is the prefix of the sublayer's tensor names.
  SublayerConnection(LayerNorm norm, NormPlace place, double dropout, std::string site);

  /// Maps x [B, T, D] to [B, T, D]. A probe sees the output of the sublayer itself.
  at::Tensor operator()(const at::Tensor& x, const Sublayer& sublayer, const Pass& pass);

 private:
  LayerNorm norm_;
  NormPlace place_;
  double dropout_;
  std::string site_;
};

}  // namespace gloss
