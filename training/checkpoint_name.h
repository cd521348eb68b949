#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gloss {

/// "step-00001234.safetensors": the file of a checkpoint.
std::string checkpoint_name(std::int64_t step);

/// The step in such a name; empty where it is another file's.
std::optional<std::int64_t> checkpoint_step(std::string_view name);

}  // namespace gloss
