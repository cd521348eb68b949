#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace gloss {

/// Programs whose model files gloss reads and writes. They differ in names and layouts of weights, and in the formulas
/// by which they compute with the same weights.
enum class ModelFamily { kMarian, kHuggingFace };

/// Names in options, messages and model files.
inline constexpr std::array<std::pair<std::string_view, ModelFamily>, 2> kModelFamilies{
    {{"marian", ModelFamily::kMarian}, {"huggingface", ModelFamily::kHuggingFace}}};

/// Epsilon that Marian's networks add to the variance of a norm (model.layer_norm_epsilon).
inline constexpr double kMarianEpsilon = 1e-6;

inline std::string_view family_name(ModelFamily family) {
  return kModelFamilies[static_cast<std::size_t>(family)].first;
}

}  // namespace gloss
