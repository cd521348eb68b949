#include "model/pass.h"

#include <string>

#include "common/error.h"

namespace gloss {

RandomStream Pass::stream(std::string_view site) const {
  if (random == nullptr) {
    throw Error(ExitCode::kFault, "dropout at " + std::string(site) +
                                      ": wanted a stream of random numbers for a training pass, got none");
  }
  if (site.empty() || site.front() == '.')
    throw Error(ExitCode::kFault, "dropout: wanted a module with a site; call set_sites for the network");
  return random->stream(site);
}

}  // namespace gloss
