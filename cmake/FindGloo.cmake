# The headers of Gloo, which LibTorch's c10d shows in its own: the target Gloo::headers. Gloo itself is within LibTorch,
# so any version of the headers will do with which c10d's compile. Needs the target LibTorch::LibTorch.
find_path(Gloo_INCLUDE_DIR gloo/context.h)
if(Gloo_INCLUDE_DIR AND NOT DEFINED Gloo_FITS)
  file(WRITE "${CMAKE_BINARY_DIR}/gloo_fits.cpp" "#define USE_C10D_GLOO
#define USE_DISTRIBUTED
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
int main() { return c10d::ProcessGroupGloo::Options::create()->devices.empty() ? 0 : 1; }\n")
  message(STATUS "Checking whether Gloo's headers fit LibTorch")
  try_compile(Gloo_FITS "${CMAKE_BINARY_DIR}/gloo_fits" "${CMAKE_BINARY_DIR}/gloo_fits.cpp"
              CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${Gloo_INCLUDE_DIR}"
              LINK_LIBRARIES LibTorch::LibTorch CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gloo REQUIRED_VARS Gloo_INCLUDE_DIR Gloo_FITS
  REASON_FAILURE_MESSAGE "gloss train-translate will train with one process only: install libgloo-dev for several")
mark_as_advanced(Gloo_INCLUDE_DIR)
if(Gloo_FOUND AND NOT TARGET Gloo::headers)
  add_library(Gloo::headers INTERFACE IMPORTED)
  target_include_directories(Gloo::headers SYSTEM INTERFACE ${Gloo_INCLUDE_DIR})
endif()
