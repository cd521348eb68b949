#pragma once

#include <functional>
#include <string>

#include <ATen/core/Tensor.h>

#include "model/layer_norm.h"
#include "model/model_config.h"
#include "model/pass.h"

namespace gloss {

/// What stands around every sublayer (section 3.1, dropout section 5.4):
///
///     post-norm, as in the paper:          LayerNorm(x + Dropout(Sublayer(x)))
///     pre-norm (Xiong et al. 2020):        x + Dropout(Sublayer(LayerNorm(x)))
class SublayerConnection {
 public:
  using Sublayer = std::function<at::Tensor(const at::Tensor&)>;

  /// `norm` belongs to the layer, which registers it. `site` is the sublayer's.
  SublayerConnection(LayerNorm norm, NormPlace place, double dropout, std::string site);

  /// x [B, T, D] to [B, T, D]. A probe sees what the sublayer itself put out.
  at::Tensor operator()(const at::Tensor& x, const Sublayer& sublayer, const Pass& pass);

 private:
  LayerNorm norm_;
  NormPlace place_;
  double dropout_;
  std::string site_;
};

}  // namespace gloss
