#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "model/model_config.h"

namespace gloss {

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
const ActivationNames& activation_names(Activation activation);

}  // namespace gloss
