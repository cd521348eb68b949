#pragma once

#include <string>
#include <vector>

#include "data/text_size.h"
#include "run/config/text_defaults.h"

namespace gloss {

/// Returns the values that were chosen for a text of this size, one line for each reason; none if nothing was chosen.
std::vector<std::string> chosen_lines(const std::vector<ChosenDefault>& defaults, const TextSize& text);

}  // namespace gloss
