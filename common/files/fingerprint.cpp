#include "common/files/fingerprint.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace gloss {
namespace {

constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // odd, so that multiplying maps no two numbers to one

std::uint64_t mix(std::uint64_t sum, std::uint64_t word) {
  const auto product = (sum ^ word) * kFactor;
  return product ^ product >> 32;  // multiplying alone would leave the highest bit of the word in one place
}

}  // namespace

void Fingerprint::update(std::span<const std::byte> bytes) {
  auto sums = sums_;
  while (!bytes.empty()) {
    decltype(sums_) words{};
    const auto count = std::min(bytes.size(), sizeof(words));
    std::memcpy(words.data(), bytes.data(), count);
    for (std::size_t lane = 0; lane < words.size(); ++lane) sums[lane] = mix(sums[lane], words[lane]);
    bytes = bytes.subspan(count);
  }
  sums_ = sums;
}

std::uint64_t Fingerprint::value() const { return std::accumulate(sums_.begin(), sums_.end(), std::uint64_t{0}, mix); }

}  // namespace gloss
