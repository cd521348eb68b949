#include "app/version_text.h"

#include "common/version.h"
#include "gloss_commit.h"  // made by cmake/write_commit.cmake

namespace gloss {

std::string version_text() {
  const std::string commit = kCommit;
  return "gloss " + std::string(kVersion) + " (" + (commit.empty() ? "" : "commit " + commit + ", ") +
         "LibTorch " GLOSS_LIBTORCH_VERSION ")";
}

}  // namespace gloss
