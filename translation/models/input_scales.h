#pragma once

#include <map>
#include <span>
#include <string>

#include "translation/models/translation_model.h"

namespace gloss {

/// Measures the scales with which all inputs of a matrix become int8 (ModelDescription::input_scales), by the names of
/// the matrices. The model translates the lines; a scale is (m + 1.1 s) / 127, with the mean m and the standard
/// deviation s over the lines of the largest magnitude in a line, as Marian's program extract_stats has it. Throws
/// UsageError without a line that has text, and for a model other than a Transformer; Stopped.
std::map<std::string, float> measured_input_scales(const TranslationModel& model, std::span<const std::string> lines);

}  // namespace gloss
