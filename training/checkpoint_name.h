#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gloss {

/// Returns the file name of a checkpoint: "step-00001234.safetensors".
std::string checkpoint_name(std::int64_t step);

/// Returns the step in such a name, or nothing for another name.
std::optional<std::int64_t> checkpoint_step(std::string_view name);

}  // namespace gloss
