#pragma once

#include <string>

#include "common/config/json.h"

namespace gloss {

/// Returns a document of docs/explanation_format.md as one HTML file that needs nothing from outside: the page of web/,
/// with the document compressed inside. Large arrays are rounded to 8 bits, and most vectors of more than 128 numbers,
/// outputs of layers of more than 256, to the means of neighbors, so that the file stays small.
std::string explanation_page(Json document, const std::string& title);

}  // namespace gloss
