#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model_config.h"

namespace gloss {

/// Name and shape of every parameter of the model that `config` describes, tied ones once, as named_parameters() has
/// them; known without making the model, so that a file can be compared before memory is asked for.
std::map<std::string, std::vector<std::int64_t>> parameter_shapes(const ModelConfig& config,
                                                                  const Vocabularies& vocabularies);

/// Number of weights, tied ones once.
std::int64_t count_parameters(const ModelConfig& config, const Vocabularies& vocabularies);

}  // namespace gloss
