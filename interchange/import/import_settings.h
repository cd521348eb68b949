#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "interchange/model_family.h"

namespace gloss {

/// A model of another program to be imported.
struct ImportSettings {
  std::filesystem::path path = {};       ///< a .npz or .bin file of Marian, or a folder
  std::optional<ModelFamily> from = {};  ///< default: found out from the files
  /// The formulas of the network. Default: those of the program that trained the model.
  std::optional<ModelFamily> formulas = {};
  /// Vocabularies and SentencePiece models of Marian. Of each kind there is one for both languages, or the source's and
  /// then the target's. Default: the files that decoder.yml names, or those beside the model.
  std::vector<std::filesystem::path> vocabularies = {};
  /// Languages that are stored in the model file. With language tags: the default tags.
  std::optional<std::string> source_language = {}, target_language = {};
  bool allow_other_tokenizer = false;  ///< import a tokenizer of which many pieces are not in the vocabulary
};

}  // namespace gloss
