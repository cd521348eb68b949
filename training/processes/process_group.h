#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "common/system/process_place.h"
#include "training/processes/exchange.h"

namespace gloss {

/// The libraries by which the processes of this build exchange tensors.
struct ExchangeLibraries {
  bool gloo = false;      ///< on CPUs, and for the meeting of all processes
  std::string nccl = {};  ///< on GPUs: the version; empty if there is none, or another than LibTorch's
};
ExchangeLibraries exchange_libraries();

/// Prepares this process to exchange tensors on its GPU; `device` becomes the current one. Call it before ProcessGroup
/// and once a process: it sets variables of the environment. NCCL meets at the interface of the store, or at that in
/// GLOO_SOCKET_IFNAME. Throws UsageError if this build has no NCCL, or headers of another version than LibTorch's.
void set_up_gpu_exchange(const ProcessPlace& place, at::Device device);

/// The processes of a run, connected by LibTorch's c10d: with Gloo, and tensors on GPUs with NCCL. While an object
/// lives, they watch each other (Heartbeat), until `leave`; if one is lost, the others end with ExitCode::kLostProcess
/// and a message. Connections are neither encrypted nor authenticated: on the loopback interface, or within a network
/// whose machines are trusted (docs/scaling.md).
class ProcessGroup final : public Exchange {
 public:
  /// Joins the others; waits until all are there. `device`: of the tensors that are not on the CPU. Throws
  /// LostProcessError if some are missing after ten minutes, IoError if process 0 cannot open the store, Stopped after
  /// a signal, UsageError if this build has no Gloo.
  explicit ProcessGroup(const ProcessPlace& place, at::Device device = at::kCPU);
  ~ProcessGroup() override;

  /// Ends the watch after an orderly end of the common work. Waits some seconds for the others to end theirs. No data
  /// is exchanged afterwards.
  void leave();

  at::Tensor all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>& received) override;
  at::Tensor all_gather(const at::Tensor& part) override;
  at::Tensor gather(const at::Tensor& part) override;

 private:
  struct Connections;
  std::unique_ptr<Connections> connections_;
};

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
