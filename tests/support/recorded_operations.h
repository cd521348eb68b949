#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

namespace gloss {

/// Names of LibTorch's operations ("aten::softmax") that run while it lives, on any thread, and how large a tensor they
/// are given. One at a time.
class RecordedOperations {
 public:
  RecordedOperations() {
    const std::lock_guard lock(all().mutex);
    all().names.clear();
    all().max_elements = 0;
    handle_ =
        at::addGlobalCallback(at::RecordFunctionCallback(note).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~RecordedOperations() { at::removeCallback(handle_); }
  RecordedOperations(const RecordedOperations&) = delete;
  RecordedOperations& operator=(const RecordedOperations&) = delete;

  bool has(const std::string& name) const {
    const std::lock_guard lock(all().mutex);
    return all().names.contains(name);
  }
  /// Of the largest tensor that some operation was given.
  std::int64_t max_elements() const {
    const std::lock_guard lock(all().mutex);
    return all().max_elements;
  }
  /// Some operation has a name that begins like this.
  bool has_prefix(const std::string& prefix) const {
    const std::lock_guard lock(all().mutex);
    const auto found = all().names.lower_bound(prefix);
    return found != all().names.end() && found->starts_with(prefix);
  }

 private:
  struct Recorded {
    std::mutex mutex;
    std::set<std::string> names;
    std::int64_t max_elements = 0;
  };
  static Recorded& all() {
    static Recorded recorded;
    return recorded;
  }
  static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& operation) {
    const std::lock_guard lock(all().mutex);
    all().names.insert(operation.name());
    for (const auto& input : operation.inputs())
      if (input.isTensor() && input.toTensor().defined())
        all().max_elements = std::max(all().max_elements, input.toTensor().numel());
    return nullptr;
  }

  at::CallbackHandle handle_;
};

}  // namespace gloss
