#include "model/pass.h"

#include <memory>
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

void set_sites(torch::nn::Module& network) {
  for (const auto& item : network.named_modules(/*name_prefix=*/{}, /*include_self=*/false))
    if (const auto sited = std::dynamic_pointer_cast<SitedModule>(item.value())) sited->set_site(item.key());
}

}  // namespace gloss
