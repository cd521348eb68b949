#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gloss {

/// What is remembered of a line: equal lines have equal hashes, others hardly ever (64 bits). Never 0.
std::uint64_t hash_of_line(std::string_view line);
/// The same of two lines that belong together.
std::uint64_t hash_of_pair(std::string_view source, std::string_view target);

/// A set of such hashes: 11 to 22 bytes for each, while it grows half as much again.
class LineHashes {
 public:
  /// False where it was there already.
  bool insert(std::uint64_t hash);
  bool contains(std::uint64_t hash) const;
  std::size_t size() const { return size_; }

 private:
  std::size_t place_of(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> slots_;  ///< a power of two of them; 0: free
  std::size_t size_ = 0;
};

}  // namespace gloss
