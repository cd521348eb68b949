#include "model/norm.h"

#include <memory>

#include "model/alternatives/batch_norm.h"
#include "model/alternatives/norms.h"
#include "model/layer_norm.h"

namespace gloss {
namespace {

std::shared_ptr<NormImpl> norm_of(const ModelConfig& config) {
  switch (config.norm_type) {
    case NormType::kLayer:
      return std::make_shared<LayerNormImpl>(config.d_model, config.layer_norm_epsilon);
    case NormType::kBatch:
      return std::make_shared<BatchNorm>(config.d_model, config.layer_norm_epsilon);
    case NormType::kRms:
      return std::make_shared<RmsNorm>(config.d_model, config.layer_norm_epsilon);
    case NormType::kNone:
      return std::make_shared<NoNorm>();
  }
  return nullptr;
}

}  // namespace

Norm make_norm(const ModelConfig& config) { return Norm(norm_of(config)); }

}  // namespace gloss
