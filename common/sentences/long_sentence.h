#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "common/text/text_span.h"

namespace gloss {

/// Cuts a sentence into the fewest, longest parts of which `fits` is true, each as long as possible: after ; or :, else
/// after a comma, else at white space (or between two characters of a script without spaces), else between any two
/// characters, the first kind at which a part is not too short. No cut lies inside one of `whole` (ascending,
/// disjoint). Parts are ascending and disjoint, without white space at their ends; everything between them is white
/// space. A part that cannot be cut stays too long. Returns the whole sentence if it fits.
std::vector<TextSpan> cut_long_sentence(std::string_view sentence, const std::function<bool(std::string_view)>& fits,
                                        std::span<const TextSpan> whole = {});

}  // namespace gloss
