#include "tests/model/golden/golden_case.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class SilentProbe final : public Probe {
 public:
  void attention(std::string_view, at::Tensor&, const at::Tensor&) override {}
};

}  // namespace

at::Tensor named_values(at::IntArrayRef shape, std::string_view name, at::Device device) {
  constexpr std::int64_t kPrime = 65537;
  std::int64_t number = 0;
  for (const char c : name) number = (number * 31 + c) % kPrime;
  auto result = at::empty(shape, at::kFloat);
  auto* out = result.mutable_data_ptr<float>();
  for (std::int64_t e = 0; e < result.numel(); ++e) {
    out[e] = static_cast<float>((7919 * e * e + number * e + 3 * number + 17) % kPrime) / 32768 - 1;
  }
  return result.to(device);
}

at::Tensor named_input(at::IntArrayRef shape, std::string_view name, at::Device device) {
  return named_values(shape, name, device).mul(2).requires_grad_();
}

NamedTensors set_named_weights(torch::nn::Module& part, const std::string& site, at::Device device) {
  const at::NoGradGuard no_grad;
  part.to(device);
  NamedTensors weights;
  for (const auto& item : part.named_parameters()) {
    const auto name = site + item.key();
    const auto values = named_values(item.value().sizes(), name, device);
    const bool near_one = name.ends_with("norm.weight") || name.ends_with(".running_variance");
    item.value().copy_(near_one ? 1 + values / 4 : values / 2);
    if (item.value().requires_grad()) weights[name] = item.value();
  }
  return weights;
}

at::Tensor real_positions(const at::Tensor& x, const std::vector<std::int64_t>& lengths) {
  std::vector<at::Tensor> rows;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    rows.push_back(x[static_cast<std::int64_t>(b)].narrow(0, 0, lengths[b]));
  }
  return at::cat(rows);
}

void expect_golden(const Golden& golden, const std::string& name, const at::Tensor& result, const NamedTensors& inputs,
                   double tolerance) {
  const auto device = result.device();
  ASSERT_THAT(result, AllClose(golden.tensor(name, device), tolerance)) << name;
  for (const auto& [input_name, input] : inputs) input.mutable_grad().reset();
  (result * named_values(result.sizes(), "cotangent", device)).sum().backward();
  const auto wanted = golden.tensor(name + ".gradient", device);  // concatenated by name
  std::int64_t place = 0;
  for (const auto& [input_name, input] : inputs) {
    ASSERT_LE(place + input.numel(), wanted.numel()) << name << ": more inputs than PyTorch had, at " << input_name;
    const auto gradient = input.grad().defined() ? input.grad() : at::zeros_like(input);
    ASSERT_THAT(gradient, AllClose(wanted.narrow(0, place, input.numel()).view(input.sizes()), tolerance))
        << name << ": gradient of " << input_name;
    place += input.numel();
  }
  ASSERT_EQ(place, wanted.numel()) << name << ": fewer inputs than PyTorch had";
}

std::vector<std::vector<std::int32_t>> golden_sources() { return {{5, 6, 10, 8, 3}, {9, 4, 3}, {7, 3}}; }

std::vector<std::vector<std::int32_t>> golden_targets() { return {{7, 4, 3}, {5, 6, 10, 8, 9, 3}, {1, 10, 4, 3}}; }

at::Tensor log_probabilities(EncoderDecoder& model, const Pass& pass) {
  const auto device = model->device();
  const auto input = shift_target(golden_targets(), device).input;
  auto generator = model->generator();
  return real_positions(generator(model(pad(golden_sources(), device), input, pass)), input.lengths);
}

std::map<std::string, Pass> both_paths() {
  static SilentProbe probe;
  return {{"fused", {}}, {"plain", {.probe = &probe}}};
}

}  // namespace gloss
