#include "data/line_hashes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace gloss {
namespace {

constexpr std::size_t kMinSlots = 64;

std::uint64_t hash_of_bytes(std::string_view bytes) {
  return std::max<std::uint64_t>(std::hash<std::string_view>{}(bytes), 1);
}

}  // namespace

std::uint64_t hash_of_line(std::string_view line) { return hash_of_bytes(line); }

std::uint64_t hash_of_pair(std::string_view source, std::string_view target) {
  const std::array both{hash_of_bytes(source), hash_of_bytes(target)};
  return hash_of_bytes({reinterpret_cast<const char*>(both.data()), sizeof(both)});
}

bool LineHashes::insert(std::uint64_t hash) {
  if ((size_ + 1) * 4 > slots_.size() * 3) grow();
  auto& slot = slots_[slot_of(hash)];
  if (slot == hash) return false;
  slot = hash;
  ++size_;
  return true;
}

bool LineHashes::contains(std::uint64_t hash) const { return !slots_.empty() && slots_[slot_of(hash)] == hash; }

// Returns the slot of the hash, or the free slot for it.
std::size_t LineHashes::slot_of(std::uint64_t hash) const {
  const std::size_t last = slots_.size() - 1;
  auto slot = static_cast<std::size_t>(hash) & last;
  while (slots_[slot] != 0 && slots_[slot] != hash) slot = (slot + 1) & last;
  return slot;
}

void LineHashes::grow() {
  const auto before = std::exchange(slots_, std::vector<std::uint64_t>(std::max(kMinSlots, slots_.size() * 2)));
  for (const auto hash : before)
    if (hash != 0) slots_[slot_of(hash)] = hash;
}

}  // namespace gloss
