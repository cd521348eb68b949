#pragma once

#include <string>

#include "common/config/json.h"

namespace gloss {

/// Returns one attention map of an item of the document as an SVG picture: queries as rows, keys as columns, numbers in
/// the cells of small maps. `part` names a head (decoder.1.cross.0), or a sublayer for the mean of its heads. Throws
/// UsageError with the key "map" for another name.
std::string map_picture(const Json& item, const std::string& part);

}  // namespace gloss
