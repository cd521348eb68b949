#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "interchange/import/import_settings.h"
#include "interchange/refusals.h"

namespace gloss {

/// The vocabulary of a language.
struct MarianVocabulary {
  std::filesystem::path table;          ///< numbers the pieces: vocab.yml, or the SentencePiece model itself
  std::filesystem::path sentencepiece;  ///< cuts lines
  bool operator==(const MarianVocabulary&) const = default;
};

/// The files of a Marian model.
struct MarianFiles {
  std::filesystem::path model;                      ///< .npz or .bin; empty if it is not found
  std::optional<std::filesystem::path> decoder;     ///< decoder.yml: names of files, defaults of the search
  std::vector<MarianVocabulary> vocabularies;       ///< of source and target; none if refused
  std::optional<std::filesystem::path> preprocess;  ///< preprocess.sh of an OPUS-MT package
  bool is_package = false;                          ///< an OPUS-MT package: decoder.yml, source.spm and target.spm
};

/// Finds the files of a model. `settings.path` is a .npz or .bin file, or a folder with one of them; decoder.yml names
/// it if there are several. The vocabularies are those of the settings, of decoder.yml (source, then target), or those
/// beside the model; a vocabulary that is no SentencePiece model is cut by the one beside it. Adds a refusal for each
/// file that is missing or ambiguous. Throws ModelError if decoder.yml is damaged; IoError.
MarianFiles find_marian_files(const ImportSettings& settings, Refusals& refusals);

/// Compares the rules of a package's preprocess.sh with opus_normalized (tokenizer/opus_normalizer.h). Returns a
/// sentence about the difference; empty if there is none.
std::string preprocessing_difference(const std::string& script);

}  // namespace gloss
