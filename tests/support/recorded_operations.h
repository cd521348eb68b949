#pragma once

#include <memory>
#include <set>
#include <string>

#include <ATen/record_function.h>

namespace gloss {

/// Names of LibTorch's operations ("aten::softmax") that this thread runs while it lives. One at a time.
class RecordedOperations {
 public:
  RecordedOperations() {
    names().clear();
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(note).scopes({at::RecordScope::FUNCTION}));
  }
  ~RecordedOperations() { at::removeCallback(handle_); }
  RecordedOperations(const RecordedOperations&) = delete;
  RecordedOperations& operator=(const RecordedOperations&) = delete;

  bool has(const std::string& name) const { return names().contains(name); }
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
  static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& operation) {
    names().insert(operation.name());
    return nullptr;
  }

  at::CallbackHandle handle_;
};

}  // namespace gloss
