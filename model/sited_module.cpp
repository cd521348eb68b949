#include "model/sited_module.h"

#include <memory>

namespace gloss {

void set_sites(torch::nn::Module& network) {
  for (const auto& item : network.named_modules(/*name_prefix=*/{}, /*include_self=*/false))
    if (const auto sited = std::dynamic_pointer_cast<SitedModule>(item.value())) sited->set_site(item.key());
}

}  // namespace gloss
