#pragma once

#include <gloss/translator.h>

#include "decoding/decoding_config.h"

namespace gloss {

/// Returns the model's settings with the caller's options in their place. Throws UsageError if options contradict each
/// other or have no effect, and as DecodingConfig::validate.
DecodingConfig decoding_config(const TranslationOptions& options, DecodingConfig config);

}  // namespace gloss
