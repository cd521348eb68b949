#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include "model/model_config.h"
#include "model/pass.h"
#include "model/sited_module.h"

namespace gloss {

/// The normalization around a sublayer or after a stack: layer normalization (layer_norm.h) or an alternative.
class NormImpl : public SitedModule {
 public:
  /// Maps x [..., D] to [..., D]. Throws ShapeError on another width.
  virtual at::Tensor forward(const at::Tensor& x, const Pass& pass) = 0;
};
TORCH_MODULE(Norm);

/// Returns the norm of model.norm_type; with `none` it returns its input.
Norm make_norm(const ModelConfig& config);

}  // namespace gloss
