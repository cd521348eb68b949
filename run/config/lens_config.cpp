#include "run/config/lens_config.h"

#include <algorithm>
#include <utility>

#include "common/config/settings.h"

namespace gloss {

void LensConfig::validate() const {
  const auto key = lens_settings().at("sentences").name();
  require(sentences.size() <= kMaxSentences, key, "at most " + std::to_string(kMaxSentences) + " sentences",
          sentences.size());
  require(std::ranges::none_of(sentences, &std::string::empty), key, "sentences that are not empty", sentences);
}

const Settings<LensConfig>& lens_settings() {
  static const Settings<LensConfig> settings(
      "lens", {{field(&LensConfig::sentences),
                {.key = "sentences",
                 .help = "at most 20 source sentences whose attention each validation writes to `lens.jsonl`",
                 .identity = Identity::kNever}}});
  return settings;
}

LensConfig read_lens_config(ConfigSection section) { return lens_settings().read(std::move(section)); }

}  // namespace gloss
