#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

/// Section `lens` of the run file: sentences that each validation translates and shows. They have no effect on the
/// weights.
struct LensConfig {
  static constexpr std::size_t kMaxSentences = 20;

  std::vector<std::string> sentences;  ///< of the source language

  /// Checks the sentences. Throws UsageError naming the key if one is empty or there are too many.
  void validate() const;
};

/// Returns the declarations of the section's keys.
const Settings<LensConfig>& lens_settings();

/// Reads the section and checks names and types of its keys. Throws UsageError naming the key.
LensConfig read_lens_config(ConfigSection section);

}  // namespace gloss
