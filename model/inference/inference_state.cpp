#include "model/inference/inference_state.h"

#include <string>
#include <utility>

#include "common/error.h"
#include "tensor/shape.h"

namespace gloss {
void InferenceState::select(const std::vector<std::int64_t>& sentences_kept, const std::vector<std::int64_t>& parents) {
  const auto kept = static_cast<std::int64_t>(sentences_kept.size());
  if (kept == 0 ? !parents.empty() : parents.size() % sentences_kept.size() != 0) {
    throw ShapeError("parents: wanted as many for each of " + std::to_string(kept) + " sentences, got " +
                     std::to_string(parents.size()));
  }
  const auto width = kept == 0 ? rows : static_cast<std::int64_t>(parents.size()) / kept;  // K'
  std::vector<Entries> next_memory, next_generated;
  for (std::int64_t b = 0; b < kept; ++b) {
    const auto sentence = index_below(sentences_kept[static_cast<std::size_t>(b)], sentences(), "sentences");
    next_memory.push_back(memory[sentence]);
    for (std::int64_t k = 0; k < width; ++k) {
      const auto parent = index_below(parents[static_cast<std::size_t>(b * width + k)], rows, "parents");
      auto& entries = next_generated.emplace_back();
      entries.reserve(generated[sentence * static_cast<std::size_t>(rows) + parent].size() + 1);
      entries = generated[sentence * static_cast<std::size_t>(rows) + parent];
    }
  }
  memory = std::move(next_memory);
  generated = std::move(next_generated);
  rows = width;
}

}  // namespace gloss
