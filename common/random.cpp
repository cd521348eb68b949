#include "common/random.h"

#include <cmath>
#include <numbers>

namespace gloss {
namespace {

// SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t splitmix64(std::uint64_t value) { return mix_bits(value + 0x9e3779b97f4a7c15U); }

std::uint64_t join(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

std::array<std::uint32_t, 2> split(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}

std::array<std::uint32_t, 2> derive_key(std::uint64_t parent, std::string_view name) {
  return split(splitmix64(splitmix64(parent) ^ fnv1a(name)));
}

}  // namespace

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return hash;
}

std::uint64_t mix_bits(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const auto [low0, high0] = split(std::uint64_t{0xd2511f53U} * counter[0]);
    const auto [low1, high1] = split(std::uint64_t{0xcd9e8d57U} * counter[2]);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
    key[0] += 0x9e3779b9U;
    key[1] += 0xbb67ae85U;
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : key_(derive_key(seed, name)) {}

RandomStream RandomStream::stream(std::string_view name) const {
  return {derive_key(join(key_[0], key_[1]), name), update_, shard_};
}

RandomStream RandomStream::at(std::uint32_t update, std::uint32_t shard) const { return {key_, update, shard}; }

std::array<std::uint32_t, 4> RandomStream::block(std::uint64_t index) const {
  const auto [low, high] = split(index);
  return philox({low, high, update_, shard_}, key_);
}

std::uint32_t RandomStream::bits(std::uint64_t element) const { return block(element / 4)[element % 4]; }

double RandomStream::uniform(std::uint64_t element) const { return bits(element) * 0x1p-32; }

double RandomStream::normal(std::uint64_t element) const {
  const auto words = block(element);
  const double radius = ((join(words[0], words[1]) >> 11) + 1) * 0x1p-53;  // (0, 1]: the logarithm is finite
  const double angle = (join(words[2], words[3]) >> 11) * 0x1p-53;         // [0, 1)
  return std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * angle);
}

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t element) const {
  __extension__ using uint128 = unsigned __int128;
  const auto words = block(element);
  return static_cast<std::uint64_t>(uint128{join(words[0], words[1])} * bound >> 64);
}

}  // namespace gloss
