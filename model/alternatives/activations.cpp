#include "model/alternatives/activations.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>

namespace gloss {

bool has_gate(Activation activation) { return activation == Activation::kGlu || activation == Activation::kSwiglu; }

at::Tensor activate(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kGeluSigmoid:
      return x * at::sigmoid(1.702 * x);
    case Activation::kSwish:
    case Activation::kSwiglu:
      return at::silu(x);
    case Activation::kGlu:
      return at::sigmoid(x);
  }
  return x;
}

}  // namespace gloss
