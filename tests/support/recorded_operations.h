#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

namespace gloss {

/// Names of LibTorch's operations ("aten::softmax") that this thread runs while it lives, and how large a tensor they
/// are given. One at a time.
class RecordedOperations {
 public:
  RecordedOperations() {
    names().clear();
    max_elements_of_all() = 0;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(note).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~RecordedOperations() { at::removeCallback(handle_); }
  RecordedOperations(const RecordedOperations&) = delete;
  RecordedOperations& operator=(const RecordedOperations&) = delete;

  bool has(const std::string& name) const { return names().contains(name); }
  /// Of the largest tensor that some operation was given.
  std::int64_t max_elements() const { return max_elements_of_all(); }
  /// Some operation has a name that begins like this.
  bool has_prefix(const std::string& prefix) const {
    const auto found = names().lower_bound(prefix);
    return found != names().end() && found->starts_with(prefix);
  }

 private:
  static std::set<std::string>& names() {
    thread_local std::set<std::string> recorded;
    return recorded;
  }
  static std::int64_t& max_elements_of_all() {
    thread_local std::int64_t most = 0;
    return most;
  }
  static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& operation) {
    names().insert(operation.name());
    for (const auto& input : operation.inputs())
      if (input.isTensor() && input.toTensor().defined())
        max_elements_of_all() = std::max(max_elements_of_all(), input.toTensor().numel());
    return nullptr;
  }

  at::CallbackHandle handle_;
};

}  // namespace gloss
