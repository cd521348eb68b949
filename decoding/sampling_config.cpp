#include "decoding/sampling_config.h"

namespace gloss {

void SamplingConfig::validate() const {
  require(temperature > 0 && temperature <= kLargestTemperature, "decoding.sampling.temperature",
          "a number above 0, at most 100", temperature);
  require(top_k >= 0 && top_k <= kLargestTopK, "decoding.sampling.top_k", "a whole number from 0 to 1000000", top_k);
  require(top_p > 0 && top_p <= 1, "decoding.sampling.top_p", "a number above 0, at most 1", top_p);
  require(seed >= 0, "decoding.sampling.seed", "0 or more", seed);
}

SamplingConfig read_sampling_config(ConfigSection section) {
  SamplingConfig config;
  section.read("enabled", config.enabled);
  section.read("temperature", config.temperature);
  section.read("top_k", config.top_k);
  section.read("top_p", config.top_p);
  section.read("seed", config.seed);
  section.finish();
  return config;
}

Json to_json(const SamplingConfig& config) {
  return {{"enabled", config.enabled},
          {"temperature", config.temperature},
          {"top_k", config.top_k},
          {"top_p", config.top_p},
          {"seed", config.seed}};
}

}  // namespace gloss
