#pragma once

#include <string_view>
#include <vector>

#include <gloss/translator.h>

#include "common/config/settings.h"
#include "decoding/decoding_config.h"

namespace gloss {

/// A field of the public interface and the key of `decoding` that it sets.
struct PublicOption {
  std::string_view name, key;
  Field<TranslationOptions> field;
};

/// Returns the options of a search.
const std::vector<PublicOption>& public_options();

/// Returns the model's settings with the caller's options in their place. Throws UsageError if options contradict each
/// other or have no effect, and as DecodingConfig::validate.
DecodingConfig decoding_config(const TranslationOptions& options, DecodingConfig config);

}  // namespace gloss
