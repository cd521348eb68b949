#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "interchange/import/huggingface_network.h"
#include "interchange/refusals.h"

namespace gloss {

/// The tokenizer of one side of a Hugging Face directory.
struct HuggingFaceVocabulary {
  std::vector<std::string> pieces;                  ///< by row
  std::int64_t unk = PieceRows::kNoRow;             ///< row of the unknown word
  std::map<std::string, std::int64_t> languages;    ///< rows of the language tags of M2M100 and NLLB
  std::string sentencepiece;                        ///< bytes
  std::string sentencepiece_file, vocabulary_file;  ///< printable names
};

struct HuggingFaceTokenizers {
  HuggingFaceVocabulary source, target;
  std::string source_language, target_language;  ///< of tokenizer_config.json; empty: unknown
  bool is_complete = false;                      ///< false: refused
};

/// Reads the tokenizers of a directory: source.spm, target.spm and vocab.json of MarianMT; spiece.model of Pegasus;
/// sentencepiece.bpe.model of M2M100 (with vocab.json) and NLLB; without these, tokenizer.json. Adds a refusal for each
/// missing file and for a tokenizer of another class. Throws ModelError if a file is damaged; IoError.
HuggingFaceTokenizers read_huggingface_tokenizers(const std::filesystem::path& folder,
                                                  const HuggingFaceNetwork& network, Refusals& refusals);

}  // namespace gloss
