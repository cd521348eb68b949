#include "explain/number_array.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace gloss {

double shortest(float value) {
  constexpr float kMax = std::numeric_limits<float>::max();
  value = std::clamp(value, -kMax, kMax);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double result = 0;
  std::from_chars(text.data(), end, result);
  return result;
}

Json number_array(const at::Tensor& tensor) {
  const auto numbers = tensor.to(at::kCPU, at::kFloat).contiguous();
  const auto* const data = numbers.const_data_ptr<float>();
  Json::array_t values(static_cast<std::size_t>(numbers.numel()));
  std::transform(data, data + numbers.numel(), values.begin(), shortest);
  return {{"shape", std::vector<std::int64_t>(tensor.sizes().begin(), tensor.sizes().end())},
          {"values", std::move(values)}};
}

}  // namespace gloss
