#pragma once

#include <cstdint>
#include <functional>
#include <set>

#include <c10/core/Allocator.h>

namespace gloss {

/// While it lives, the CPU memory of tensors comes from here: from where it came before, but for allocations that are
/// asked to fail.
class FailingAllocator final : public c10::Allocator {
 public:
  FailingAllocator();
  ~FailingAllocator() override;
  FailingAllocator(const FailingAllocator&) = delete;
  FailingAllocator& operator=(const FailingAllocator&) = delete;

  /// The allocations of these numbers, counted from 1 from now on, fail.
  void fail(std::set<std::int64_t> numbers);
  /// How many allocations have failed.
  std::int64_t failures() const { return failures_; }

  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override { return before_->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

  std::function<void()> raise;  ///< what failing is; std::bad_alloc at first

 private:
  c10::Allocator* before_;
  std::set<std::int64_t> numbers_;
  std::int64_t allocations_ = 0, failures_ = 0;
};

}  // namespace gloss
