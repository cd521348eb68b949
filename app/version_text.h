#pragma once

#include <string>

namespace gloss {

/// Returns "gloss 0.1.0 (commit 56a4842, LibTorch 2.13.0)"; without the commit if the build did not find it.
std::string version_text();

}  // namespace gloss
