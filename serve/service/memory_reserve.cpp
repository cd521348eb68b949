#include "serve/service/memory_reserve.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>

namespace gloss {
namespace {

constexpr std::size_t kBlocks = 64, kBytes = 64 << 10;  // too small to be of use for a tensor
constexpr int kOfRequest = 2;  // blocks for a request that goes on; more only while an exception unwinds

std::array<std::atomic<void*>, kBlocks> reserve;
thread_local int taken = 0;  ///< blocks, since the last refill on this thread

/// Is called by operator new when memory has run out; returns for another try (std::set_new_handler).
void give_back() {
  if (++taken <= kOfRequest || std::uncaught_exceptions() > 0)
    for (auto& block : reserve)
      if (void* const found = block.exchange(nullptr)) return std::free(found);
  throw std::bad_alloc();
}

}  // namespace

MemoryReserve::MemoryReserve() {
  refill();
  std::set_new_handler(give_back);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(nullptr);
  for (auto& block : reserve) std::free(block.exchange(nullptr));
}

void MemoryReserve::refill() {
  taken = 0;
  for (auto& block : reserve) {
    if (block != nullptr) continue;
    void* const fresh = std::malloc(kBytes);
    void* none = nullptr;
    if (!block.compare_exchange_strong(none, fresh)) std::free(fresh);
  }
}

}  // namespace gloss
