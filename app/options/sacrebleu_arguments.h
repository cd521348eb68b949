#pragma once

#include <string>
#include <vector>

namespace gloss {

/// Returns the arguments with sacreBLEU's short names ("-tok", "-m", "-i") spelled out if the command is `gloss
/// evaluate`. The arguments of other commands are returned unchanged.
std::vector<std::string> without_sacrebleu_names(std::vector<std::string> arguments);

}  // namespace gloss
