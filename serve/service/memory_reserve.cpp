#include "serve/service/memory_reserve.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace gloss {
namespace {

constexpr std::size_t kBytes = 4 << 20;

std::atomic<void*> reserve = nullptr;

/// Is called by operator new when memory has run out; returns for another try (std::set_new_handler).
void give_back() {
  void* const taken = reserve.exchange(nullptr);
  if (taken == nullptr) throw std::bad_alloc();
  std::free(taken);
}

}  // namespace

MemoryReserve::MemoryReserve() {
  refill();
  std::set_new_handler(give_back);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(nullptr);
  std::free(reserve.exchange(nullptr));
}

void MemoryReserve::refill() {
  if (reserve != nullptr) return;
  void* const fresh = std::malloc(kBytes);
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, fresh)) std::free(fresh);
}

}  // namespace gloss
