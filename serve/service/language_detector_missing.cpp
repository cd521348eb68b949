#include "serve/service/language_detector.h"

namespace gloss {

bool has_language_detector() { return false; }

std::vector<DetectedLanguage> detect_languages(std::string_view, const ServedModels&) { return {}; }

}  // namespace gloss
