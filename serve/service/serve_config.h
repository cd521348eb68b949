#pragma once

#include <vector>

#include "serve/service/served_models.h"
#include "serve/settings/serve_settings.h"

namespace gloss {

/// The models and settings of a server.
struct ServeConfig {
  ServeSettings settings;
  std::vector<ModelSource> models;
  ServingOptions serving;
};

}  // namespace gloss
