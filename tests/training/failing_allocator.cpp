#include "tests/training/failing_allocator.h"

#include <cstring>
#include <new>
#include <utility>

#include <c10/core/CPUAllocator.h>

namespace gloss {
namespace {

constexpr std::uint8_t kPriority = 1;

}  // namespace

FailingAllocator::FailingAllocator() : raise([] { throw std::bad_alloc(); }), before_(c10::GetCPUAllocator()) {
  c10::SetCPUAllocator(this, kPriority);
}

FailingAllocator::~FailingAllocator() { c10::SetCPUAllocator(before_, kPriority); }

void FailingAllocator::fail(std::set<std::int64_t> numbers) {
  numbers_ = std::move(numbers);
  allocations_ = 0;
}

c10::DataPtr FailingAllocator::allocate(std::size_t bytes) {
  if (numbers_.contains(++allocations_)) {
    ++failures_;
    raise();
  }
  return before_->allocate(bytes);
}

void FailingAllocator::copy_data(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }

}  // namespace gloss
