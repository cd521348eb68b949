#pragma once

#include <span>
#include <string>

#include "common/config/setting.h"

namespace gloss {

/// Returns the Markdown table of a section in configs/README.md: key, default, values, option, effect and meaning of
/// each setting. Columns without any text are left out.
std::string settings_table(std::span<const Setting> settings);

}  // namespace gloss
