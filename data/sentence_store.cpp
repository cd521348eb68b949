#include "data/sentence_store.h"

#include <string>

#include "common/error.h"

namespace gloss {

void SentenceStore::add(std::span<const Id> ids) {
  if (ids.size() > kBlockIds)
    throw DataError("corpus: wanted sentences of at most " + std::to_string(kBlockIds) + " pieces, got one of " +
                    std::to_string(ids.size()));
  if (blocks_.empty() || blocks_.back().size() + ids.size() > kBlockIds) {
    blocks_.emplace_back().reserve(kBlockIds);
    begins_.back() = (blocks_.size() - 1) * kBlockIds;
  }
  auto& block = blocks_.back();
  block.insert(block.end(), ids.begin(), ids.end());
  begins_.push_back((blocks_.size() - 1) * kBlockIds + block.size());
}

std::span<const Id> SentenceStore::operator[](std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  const auto& block = blocks_[begins_[i] / kBlockIds];
  const auto begin = begins_[i] % kBlockIds;
  const bool is_last = begins_[i + 1] / kBlockIds != begins_[i] / kBlockIds;
  const auto end = is_last ? block.size() : begins_[i + 1] % kBlockIds;
  return std::span(block).subspan(begin, end - begin);
}

void SentenceStore::add_to(Sha256& sum) const {
  std::int64_t begin = 0;
  const auto add = [&] { sum.update(std::as_bytes(std::span(&begin, 1))); };
  add();
  for (std::int64_t i = 0; i < size(); ++i) {
    begin += std::ssize((*this)[i]);
    add();
  }
  for (const auto& block : blocks_) sum.update(std::as_bytes(std::span(block)));
}

}  // namespace gloss
