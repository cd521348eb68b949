#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "decoding/decoding_config.h"
#include "interchange/import/imported_model.h"
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

/// The tokenizers of a Hugging Face directory. Their special pieces are those of the network, with unk.
struct HuggingFaceTokenizers {
  ImportedVocabulary source, target;
  std::string source_language, target_language;  ///< of tokenizer_config.json; empty: unknown
  bool is_complete = false;                      ///< false: refused
};

/// Reads the tokenizers of a directory: source.spm, target.spm and vocab.json of MarianMT; spiece.model of Pegasus;
/// sentencepiece.bpe.model of M2M100 (with vocab.json) and NLLB; without these, tokenizer.json. Adds a refusal for each
/// missing file and for a tokenizer of another class. Throws ModelError if a file is damaged; IoError.
HuggingFaceTokenizers read_huggingface_tokenizers(const std::filesystem::path& folder,
                                                  const HuggingFaceNetwork& network, Refusals& refusals);

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
