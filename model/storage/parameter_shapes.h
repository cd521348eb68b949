#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model_config.h"

namespace gloss {

/// Returns name and shape of every parameter of the model that `config` describes, tied ones once, with the names of
/// named_parameters(). The model is not created, so a file can be checked before allocating memory.
std::map<std::string, std::vector<std::int64_t>> parameter_shapes(const ModelConfig& config,
                                                                  const Vocabularies& vocabularies);

/// Returns the number of weights, tied ones once.
std::int64_t count_parameters(const ModelConfig& config, const Vocabularies& vocabularies);

}  // namespace gloss
