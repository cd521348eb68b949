#pragma once

#include <functional>
#include <string>

#include <ATen/core/Tensor.h>

#include "model/model_config.h"
#include "model/norm.h"
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

  /// `norm` belongs to the layer, which registers it. Place, dropout and residual are those of `config`. `site`:
  /// model/pass.h.
  SublayerConnection(Norm norm, const ModelConfig& config, std::string site);

  /// Maps x [B, T, D] to [B, T, D]. A probe receives the output of the sublayer itself.
  at::Tensor operator()(const at::Tensor& x, const Sublayer& sublayer, const Pass& pass);

 private:
  Norm norm_;
  NormPlace place_;
  bool residual_;
  double dropout_;
  std::string site_;
};

}  // namespace gloss
