#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/models/translation_details.h"

namespace gloss {

/// Translates some lines, one translation each.
using Translate = std::function<std::vector<DetailedTranslation>(std::span<const std::string>)>;

/// One translation for each line. Where memory runs out the lines are taken in halves; absent is the translation of a
/// line for which memory does not even suffice alone.
std::vector<std::optional<DetailedTranslation>> translate_patiently(std::span<const std::string> lines,
                                                                    const Translate& translate);

}  // namespace gloss
