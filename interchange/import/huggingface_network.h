#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/config/json.h"
#include "interchange/model_family.h"
#include "interchange/refusals.h"
#include "interchange/weight_map.h"
#include "model/model_config.h"

namespace gloss {

enum class HuggingFaceType { kMarian, kPegasus, kM2M100 };

/// The network that the config.json of a Hugging Face directory describes.
struct HuggingFaceNetwork {
  std::optional<HuggingFaceType> type;  ///< absent: an unsupported model_type, which is refused
  std::string type_name;                ///< model_type
  std::string tokenizer_class;          ///< empty: config.json names none
  ModelConfig model;
  ModelFamily formulas = ModelFamily::kHuggingFace;
  std::int64_t source_size = 0, target_size = 0;  ///< rows of the embeddings
  SpecialRows specials;                           ///< without unk, which the tokenizer has
  std::int64_t decoder_start = 0;                 ///< row of the decoder's first input
  bool is_own = false;                            ///< gloss export wrote the directory: its ids and tokenizers
  std::int64_t max_positions = 0;                 ///< limit of the other program
};

/// Returns the network of a config.json. A missing key has the default of its class in transformers. `formulas` are
/// those of the computation; by default Marian's for a MarianMT model that Marian trained, otherwise Hugging Face's.
/// Adds to `refusals` everything that gloss does not support, each reason with the key and the value.
HuggingFaceNetwork huggingface_network(const Json& config, std::optional<ModelFamily> formulas, Refusals& refusals);

}  // namespace gloss
