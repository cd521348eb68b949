#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gloss {

/// Returns a 64-bit hash of a line; never 0.
std::uint64_t hash_of_line(std::string_view line);
/// Returns a 64-bit hash of a sentence pair; never 0.
std::uint64_t hash_of_pair(std::string_view source, std::string_view target);

/// A set of hashes. Memory: 11 to 22 bytes for each; half as much again while it grows.
class LineHashes {
 public:
  /// Adds a hash. Returns false if the set has it already.
  bool insert(std::uint64_t hash);
  bool contains(std::uint64_t hash) const;
  std::size_t size() const { return size_; }

 private:
  std::size_t slot_of(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> slots_;  ///< a power of two of them; 0: free
  std::size_t size_ = 0;
};

}  // namespace gloss
