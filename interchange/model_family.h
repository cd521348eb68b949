#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "model/model_config.h"

namespace gloss {

/// Programs whose model files gloss reads and writes. They differ in names and layouts of weights, and in the formulas
/// by which they compute with the same weights.
enum class ModelFamily { kMarian, kHuggingFace, kCtranslate2 };

/// Names in options, messages and model files.
inline constexpr std::array<std::pair<std::string_view, ModelFamily>, 3> kModelFamilies{
    {{"marian", ModelFamily::kMarian},
     {"huggingface", ModelFamily::kHuggingFace},
     {"ctranslate2", ModelFamily::kCtranslate2}}};
/// The families whose formulas can be chosen. A file of CTranslate2 states its own.
inline constexpr std::array kFormulaFamilies{kModelFamilies[0], kModelFamilies[1]};

/// Epsilon that Marian's networks add to the variance of a norm (model.layer_norm_epsilon).
inline constexpr double kMarianEpsilon = 1e-6;

inline std::string_view family_name(ModelFamily family) {
  return kModelFamilies[static_cast<std::size_t>(family)].first;
}

/// Names of an activation of the feed-forward in other programs; absent if the program lacks it.
struct ActivationNames {
  Activation activation;
  int ctranslate2;                              ///< number in its enumeration; of a gate, the gate's activation
  std::optional<std::string_view> huggingface;  ///< config.json: activation_function
  std::optional<std::string_view> marian;       ///< special:model.yml: transformer-ffn-activation
};

/// Names of every activation. Marian's gelu is x sigmoid(1.702 x); the gelu of Hugging Face is the exact one.
///
///     activation_names(Activation::kSwish).huggingface;                                    // "silu"
///     std::ranges::find(kActivationNames, std::optional(name), &ActivationNames::marian);  // the other direction
inline constexpr std::array<ActivationNames, 6> kActivationNames{{{Activation::kRelu, 0, "relu", "relu"},
                                                                  {Activation::kSwish, 2, "silu", "swish"},
                                                                  {Activation::kGelu, 3, "gelu", std::nullopt},
                                                                  {Activation::kGeluSigmoid, 4, "quick_gelu", "gelu"},
                                                                  {Activation::kSwiglu, 2, std::nullopt, std::nullopt},
                                                                  {Activation::kGlu, 6, std::nullopt, std::nullopt}}};

/// Returns the names of an activation.
inline const ActivationNames& activation_names(Activation activation) {
  return *std::ranges::find(kActivationNames, activation, &ActivationNames::activation);
}

}  // namespace gloss
