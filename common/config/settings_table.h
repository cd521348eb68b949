#pragma once

#include <span>
#include <string>

#include "common/config/setting.h"

namespace gloss {

/// Returns the allowed values in few words: "1 to 1000", "above 0, at most 1", "power, gnmt", "true or false".
std::string values_text(const Setting& setting);

/// Returns the Markdown table of a section in configs/README.md: key, default, values, option, effect and meaning of
/// each setting. Columns without any text are left out.
std::string settings_table(std::span<const Setting> settings);

}  // namespace gloss
