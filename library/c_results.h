#pragma once

#include <string>
#include <vector>

#include <gloss/translator.h>

#include "common/config/json.h"
#include "library/c_handles.h"

namespace gloss {

/// Each returns the fields of a public struct as JSON. A span and a link are a pair of numbers.
Json to_json(const Translation& translation);
Json to_json(const TextTranslation& translation);
Json to_json(const StreamedToken& token);

/// Each returns a result with the texts that gloss/gloss.h describes.
gloss_result result_of_lines(const std::vector<Translation>& translations);
gloss_result result_of_text(const TextTranslation& translation);
gloss_result result_of_file(const TextTranslation& translation);
gloss_result result_of_languages(const std::vector<std::string>& names);
gloss_result result_of_sentences(const std::string& text, const std::vector<Translation::Span>& sentences);

}  // namespace gloss
