#include "interchange/export/exported_positions.h"

#include <algorithm>

namespace gloss {

std::int64_t exported_positions(const TranslationModel& model) {
  constexpr std::int64_t kMinPositions = 2048;
  const auto target = model.config.decoding.max_length + 1;  // transformers counts the start of the decoder
  return std::max({kMinPositions, model.config.max_source_length(), target});
}

}  // namespace gloss
