#pragma once

#include <string>

#include "model/storage/weight_precision.h"
#include "translation/models/translation_model.h"

namespace gloss {

// Each function returns the text of the README.md of an exported model. It shows how another program translates with
// the search options of the model's run file, and when its answers can differ from `gloss translate`. Each text has one
// block of code, a program that translates lines of the standard input.

std::string ctranslate2_readme(const TranslationModel& model, WeightPrecision precision);
/// `model_class` is the class of the model, as "MarianMTModel".
std::string huggingface_readme(const TranslationModel& model, WeightPrecision precision,
                               const std::string& model_class);
std::string marian_readme(const TranslationModel& model);

}  // namespace gloss
