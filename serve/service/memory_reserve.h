#pragma once

namespace gloss {

/// Memory that is given back bit by bit when allocations fail, so that there is some for the destructors and the answer
/// of a request that failed: the destructor of a Json needs some, and ends the program without it. One object in a
/// process at a time.
class MemoryReserve {
 public:
  MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;
  ~MemoryReserve();

  /// Takes the memory again, if it was given back and there is some. Called on each thread after a request.
  void refill();
};

}  // namespace gloss
