#include "model/pass.h"

#include <string>

#include "common/error.h"

namespace gloss {

RandomStream Pass::stream(std::string_view site) const {
  if (random == nullptr) {
    throw Error(ExitCode::kFault, "dropout at " + std::string(site) +
                                      ": wanted a stream of random numbers for a training pass, got none");
  }
  return random->stream(site);
}

}  // namespace gloss
