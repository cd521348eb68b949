#pragma once

#include <cstdint>
#include <memory>

namespace gloss {

/// The store in which local processes find each other, kept by the program that starts them: a TCPStore of LibTorch at
/// a free port of the loopback interface.
class LocalStore {
 public:
  /// For `processes` processes. Throws IoError if no port is free or too few files may be open, UsageError if this
  /// build has no Gloo.
  explicit LocalStore(std::int64_t processes);
  ~LocalStore();
  std::uint16_t port() const;
  /// The name of the run that its processes must have (ProcessPlace::job).
  static constexpr const char* kJob = "local";
  /// Makes all processes but this one end within about a second.
  void mark_lost(std::int64_t rank);

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

}  // namespace gloss
