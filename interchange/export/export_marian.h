#pragma once

#include <string>

#include "interchange/export/output_folder.h"
#include "interchange/refusals.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// Returns the maximum length of a translation that decoder.yml sets, in lengths of its source: that of the model, or a
/// large one, as Marian cannot do without.
inline double marian_length_factor(const DecodingConfig& config) {
  return config.max_length_factor > 0 ? config.max_length_factor : 20;
}

/// Returns the reasons why Marian does not compute the model; empty if it does. Marian has its own frequencies of
/// positions and epsilon of layer norms, and starts from a zero vector: only models trained with these are exact.
Refusals marian_refusals(const TranslationModel& model);

/// Writes model.npz with Marian's options inside, decoder.yml with the search options of the run file, the vocabularies
/// and the SentencePiece models. Matrices are float32. Returns the text of README.md. The model must not have been
/// refused. Throws IoError, and UsageError if gloss was built without libzip.
std::string export_marian(const TranslationModel& model, OutputFolder& folder);

}  // namespace gloss
