#include "tensor/out_of_memory.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>

#include <c10/util/Exception.h>

namespace gloss {
namespace {

// Messages of memory that is missing elsewhere than in LibTorch's allocators for devices: on the host, for a library of
// CUDA, and for CUDA itself, which pins memory and keeps its own.
constexpr std::array<std::string_view, 5> kMessages = {"can't allocate memory", "CUDA error: out of memory",
                                                       "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED",
                                                       "DEVICE_ALLOCATION_FAILED"};

}  // namespace

bool is_out_of_memory() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const c10::OutOfMemoryError&) {
    return true;
  } catch (const c10::Error& error) {
    const std::string_view text(error.what_without_backtrace());
    return std::ranges::any_of(kMessages, [&](auto message) { return text.find(message) != text.npos; });
  } catch (const std::exception& error) {  // dnnl::error, whose header LibTorch does not install
    return std::string_view(error.what()) == "could not create a primitive";
  } catch (...) {
    return false;
  }
}

}  // namespace gloss
