#pragma once

#include <string>
#include <vector>

namespace gloss {

/// The arguments of `gloss evaluate` with sacreBLEU's short names ("-tok", "-m", "-i") spelled out; those of other
/// commands as they are.
std::vector<std::string> without_sacrebleu_names(std::vector<std::string> arguments);

}  // namespace gloss
