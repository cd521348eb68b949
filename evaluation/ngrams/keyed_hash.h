#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gloss {

/// Keyed hash for tables of external input: without the key, a text whose parts all collide cannot be constructed.
/// Equal keys have equal hashes. Ids assigned in order of arrival do not depend on the hash.
class KeyedHash {
 public:
  explicit KeyedHash(std::uint64_t key) : key_(key), multiplier_(mixed(key ^ kFirst, kSecond) | 1) {}
  /// Uses the random key of this process.
  KeyedHash() : KeyedHash(process_key()) {}

  std::uint64_t operator()(std::uint64_t word) const { return mixed(word ^ key_, multiplier_); }

  std::uint64_t operator()(std::string_view text) const {
    std::uint64_t hash = key_ ^ text.size();
    while (text.size() > sizeof hash) {
      hash = mixed(hash ^ first_word(text, sizeof hash), multiplier_);
      text.remove_prefix(sizeof hash);
    }
    return mixed(hash ^ first_word(text, text.size()), multiplier_);
  }

 private:
  // Fractions of the golden ratio and of the square root of 2.
  static constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15, kSecond = 0x6a09e667f3bcc909;

  /// Returns the exclusive or of the product's halves.
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  static std::uint64_t first_word(std::string_view text, std::size_t bytes) {
    std::uint64_t word = 0;
    if (bytes > 0) std::memcpy(&word, text.data(), bytes);
    return word;
  }
  static std::uint64_t process_key();

  // The multiplier is secret, too: otherwise keys that collide under one key would collide under all.
  std::uint64_t key_, multiplier_;
};

}  // namespace gloss
