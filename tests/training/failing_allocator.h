#pragma once

#include <cstdint>
#include <functional>
#include <set>

#include <c10/core/Allocator.h>

namespace gloss {

/// While an object lives, it replaces the CPU allocator by one that forwards to it, except for allocations that are set
/// to fail.
class FailingAllocator final : public c10::Allocator {
 public:
  FailingAllocator();
  ~FailingAllocator() override;
  FailingAllocator(const FailingAllocator&) = delete;
  FailingAllocator& operator=(const FailingAllocator&) = delete;

  /// Makes the allocations with these numbers fail, counted from 1 from now on.
  void fail(std::set<std::int64_t> numbers);
  /// Returns the number of failed allocations.
  std::int64_t failures() const { return failures_; }

  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override { return before_->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

  std::function<void()> raise;  ///< how an allocation fails; std::bad_alloc by default

 private:
  c10::Allocator* before_;
  std::set<std::int64_t> numbers_;
  std::int64_t allocations_ = 0, failures_ = 0;
};

}  // namespace gloss
