#include "data/batch.h"

#include <utility>

namespace gloss {

std::vector<Batch> cut_into_shards(Batch batch, std::int64_t count) {
  std::vector<Batch> shards(static_cast<std::size_t>(count));
  const auto tokens_of = [&](std::size_t sentence) {
    return std::ssize(batch.source[sentence]) + std::ssize(batch.target[sentence]);
  };
  std::int64_t all = 0, before = 0;
  for (std::size_t i = 0; i < batch.source.size(); ++i) all += tokens_of(i);
  for (std::size_t i = 0; i < batch.source.size(); ++i) {
    const auto tokens = tokens_of(i);
    // The shard in which the middle of the sentence lies.
    const auto middle = (2 * before + tokens) * count / (2 * all);
    auto& shard = shards[static_cast<std::size_t>(middle)];
    before += tokens;
    shard.source.push_back(std::move(batch.source[i]));
    shard.target.push_back(std::move(batch.target[i]));
  }
  return shards;
}

}  // namespace gloss
