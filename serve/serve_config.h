#pragma once

#include <vector>

#include "serve/service/served_models.h"
#include "serve/settings/serve_settings.h"

namespace gloss {

/// What a server serves, and how.
struct ServeConfig {
  ServeSettings settings;
  std::vector<ModelSource> models;
  ServingOptions serving;
};

}  // namespace gloss
