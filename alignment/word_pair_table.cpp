#include "alignment/word_pair_table.h"

#include <algorithm>
#include <atomic>

#include "common/error.h"
#include "common/system/parallel_for.h"

namespace gloss {
namespace {

constexpr std::uint64_t kPairsAtOnce = 1 << 20;

std::uint64_t key_of(Id source, Id target) {
  return (static_cast<std::uint64_t>(source) + 1) << 32 | static_cast<std::uint32_t>(target);
}

/// Returns the slot where the search for a key begins.
std::size_t first_slot(std::uint64_t key, std::size_t slots) {
  key = (key ^ key >> 32) * 0xd6e8feb86659fd93;
  key = (key ^ key >> 32) * 0xd6e8feb86659fd93;
  return (key >> 32) * slots >> 32;
}

std::size_t next_slot(std::size_t slot, std::size_t slots) { return slot + 1 == slots ? 0 : slot + 1; }

std::size_t slots_for(std::uint64_t pairs) {
  const auto slots = pairs + pairs / 3 + 1;
  if (slots > std::uint64_t{1} << 32)
    throw DataError("the text has too many pairs of words; align a part of it, or use a tokenizer");
  return slots;
}

/// Adds a key to a table that other threads add to. Returns whether it is new.
bool insert_key(std::span<std::uint64_t> keys, std::uint64_t key) {
  for (auto slot = first_slot(key, keys.size());; slot = next_slot(slot, keys.size())) {
    std::atomic_ref place(keys[slot]);
    auto present = place.load(std::memory_order_relaxed);
    if (present == 0 && place.compare_exchange_strong(present, key, std::memory_order_relaxed)) return true;
    if (present == key) return false;
  }
}

}  // namespace

void WordPairTable::add(std::span<const IdPair> lines, int threads) {
  while (!lines.empty()) {
    std::size_t count = 0;
    std::uint64_t pairs = 0;
    do {
      pairs += lines[count].source.size() * lines[count].target.size();
    } while (++count < lines.size() && pairs < kPairsAtOnce);
    reserve(size_ + pairs);
    std::atomic<std::uint64_t> added = 0;
    parallel_for(static_cast<std::int64_t>(count), threads, [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t new_pairs = 0;
      for (const auto& line : lines.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)))
        for (const auto source : line.source)
          for (const auto target : line.target) new_pairs += insert_key(keys_, key_of(source, target)) ? 1 : 0;
      added += new_pairs;
    });
    size_ += added;
    lines = lines.subspan(count);
  }
}

void WordPairTable::reserve(std::uint64_t size) {
  if (slots_for(size) <= keys_.size()) return;
  std::vector<std::uint64_t> larger(std::max(slots_for(size), keys_.size() + keys_.size() / 2));
  for (const auto key : keys_)
    if (key != 0) insert_key(larger, key);
  keys_.swap(larger);
}

void WordPairTable::finish() {
  slots_.resize(slots_for(size_));
  for (const auto key : keys_) {
    if (key == 0) continue;
    auto slot = first_slot(key, slots_.size());
    while (slots_[slot].key != 0) slot = next_slot(slot, slots_.size());
    slots_[slot].key = key;
  }
  keys_ = {};
}

void WordPairTable::find(Id source, std::span<const Id> targets, WordPair** found) {
  WordPair* const slots = slots_.data();
  const auto size = slots_.size();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    found[i] = slots + first_slot(key_of(source, targets[i]), size);
    __builtin_prefetch(found[i], 1);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto key = key_of(source, targets[i]);
    while (found[i]->key != key) {
      if (found[i]->key == 0) throw_changed_text();
      found[i] = slots + next_slot(static_cast<std::size_t>(found[i] - slots), size);
    }
  }
}

}  // namespace gloss
