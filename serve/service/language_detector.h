#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "serve/service/served_models.h"

namespace gloss {

struct DetectedLanguage {
  std::string code;
  double confidence = 0;  ///< 0 to 100
};
inline Json to_json(const DetectedLanguage& language) {
  return {{"language", language.code}, {"confidence", language.confidence}};
}

/// Returns whether the program is built with CLD2.
bool has_language_detector();

/// Returns the languages of a text that the models translate from or into, the most likely one first. None if the text
/// is too short or in no language that is served.
std::vector<DetectedLanguage> detect_languages(std::string_view text, const ServedModels& models);

}  // namespace gloss
