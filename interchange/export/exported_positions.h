#pragma once

#include <cstdint>

#include "translation/models/translation_model.h"

namespace gloss {

/// Returns the number of positions in a file for a program that fails beyond the last one. It suffices for the run file
/// of the model, and is at least 2048.
std::int64_t exported_positions(const TranslationModel& model);

}  // namespace gloss
