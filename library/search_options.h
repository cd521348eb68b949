#pragma once

#include <gloss/translator.h>

#include "decoding/decoding_config.h"

namespace gloss {

/// The model's settings with what the caller says in their place. Throws UsageError, as DecodingConfig::validate and
/// where options do not go together.
DecodingConfig decoding_config(const TranslationOptions& options, DecodingConfig config);

}  // namespace gloss
