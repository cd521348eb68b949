#pragma once

#include <string>

namespace gloss {

/// "gloss 0.1.0 (commit 56a4842, LibTorch 2.13.0)"; without the commit where the build did not know it.
std::string version_text();

}  // namespace gloss
