#include "tensor/out_of_memory.h"

#include <exception>
#include <new>
#include <string_view>

#include <c10/util/Exception.h>

namespace gloss {

bool is_out_of_memory() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const c10::OutOfMemoryError&) {
    return true;
  } catch (const c10::Error& error) {  // thrown by LibTorch's host memory allocator
    return std::string_view(error.what_without_backtrace()).find("can't allocate memory") != std::string_view::npos;
  } catch (const std::exception& error) {  // dnnl::error, whose header LibTorch does not install
    return std::string_view(error.what()) == "could not create a primitive";
  } catch (...) {
    return false;
  }
}

}  // namespace gloss
