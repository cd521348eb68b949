#pragma once

#include <string>
#include <vector>

#include "common/config/json.h"
#include "decoding/decoding_config.h"
#include "interchange/weight_map.h"

namespace gloss {

/// Pieces of an imported model that a search setting may ban.
struct HuggingFaceBans {
  PieceRows rows;           ///< of the target
  bool suppressed = false;  ///< pad and bos have practically no probability in gloss
};

/// Returns the members of a config.json that are search settings: directories without generation_config.json have them
/// there.
Json huggingface_search(const Json& config);

/// Sets the search options of a generation_config.json that gloss computes in the same way. Adds a note for each other
/// setting that is not at the default of transformers. A missing setting leaves gloss's default.
void set_huggingface_search(const Json& generation, const HuggingFaceBans& bans, DecodingConfig& decoding,
                            std::vector<std::string>& notes);

}  // namespace gloss
