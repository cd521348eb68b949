#pragma once

#include <string>

#include "common/config/json.h"

namespace gloss {

/// Returns a document of docs/explanation_format.md as one HTML file without external resources: the page of web/, with
/// the document compressed inside. Large arrays are rounded to 8 bits, so that the file stays small. For the same
/// reason most vectors of more than 128 numbers, and outputs of layers of more than 256, become means of neighbors.
std::string explanation_page(Json document, const std::string& title);

}  // namespace gloss
