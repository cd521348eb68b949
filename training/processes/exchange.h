#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Exchange of data among the processes that train one model together. Each process calls the same functions in the
/// same order; a call returns when the data of all is there. Tensors are contiguous, on the CPU or on the GPU on which
/// the process computes. Must not be called by two threads at once. Throws LostProcessError if another process does not
/// answer any more.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  std::int64_t rank() const { return rank_; }  ///< of this process, from 0
  std::int64_t size() const { return size_; }  ///< number of processes
  bool is_alone() const { return size_ == 1; }
  bool is_first() const { return rank_ == 0; }

  /// Sends [size() * n] elements, n to each process, in the order of the processes. `received`: the number of elements
  /// that come from each. Returns them, in the order of the processes.
  virtual at::Tensor all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>& received) = 0;
  /// Returns the parts of all processes, in their order, as one dimension. The parts have one shape.
  virtual at::Tensor all_gather(const at::Tensor& part) = 0;
  /// Returns the same as all_gather on process 0, an undefined tensor on the others.
  virtual at::Tensor gather(const at::Tensor& part) = 0;

  /// Returns the texts of all processes, of any length.
  std::vector<std::string> all_gather_texts(const std::string& text);

 protected:
  Exchange(std::int64_t rank, std::int64_t size) : rank_(rank), size_(size) {}

 private:
  std::int64_t rank_ = 0, size_ = 1;
};

/// Throws Error with ExitCode::kFault unless the data that another process has sent have the size or value that they
/// must have.
void expect_sent(bool fits);

/// Returns the exchange of a process that trains alone.
Exchange& no_exchange();

}  // namespace gloss
