#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

/// Section `lens` of the run file: sentences that each validation looks at. They have no effect on the weights.
struct LensConfig {
  static constexpr std::size_t kMaxSentences = 20;

  std::vector<std::string> sentences;  ///< of the source language

  /// Throws UsageError naming the key if a sentence is empty or there are too many.
  void validate() const;
};

/// The declarations of the section's keys.
const Settings<LensConfig>& lens_settings();

/// Names and types of keys are checked. Throws UsageError naming the key.
LensConfig read_lens_config(ConfigSection section);

}  // namespace gloss
