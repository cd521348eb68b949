#pragma once

#include "interchange/import/import_settings.h"
#include "interchange/import/imported_model.h"

namespace gloss {

/// Opens a model of Marian: a .npz or .bin file with its vocabularies, or an OPUS-MT package that is unpacked in a
/// folder. Everything that gloss does not support becomes a refusal of the report. Throws ModelError if a file is
/// damaged; IoError; UsageError if a language of the settings has no tag in the vocabulary.
ImportedModel import_marian(const ImportSettings& settings);

}  // namespace gloss
