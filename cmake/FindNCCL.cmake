# The headers of NCCL and CUDA, which the headers of LibTorch's c10d include: the target NCCL::headers. LibTorch for
# CUDA loads NCCL itself. Looked for beside LibTorch, where the wheels that torch requires put them, then in a CUDA
# toolkit. Needs the target LibTorch::LibTorch.
file(GLOB from_wheels "${LibTorch_ROOT_DIR}/../nvidia/*/include")
set(folders ${from_wheels} /usr/local/cuda/include)
if(DEFINED ENV{CUDA_HOME})
  list(INSERT folders 0 "$ENV{CUDA_HOME}/include")
endif()
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${from_wheels})
find_path(NCCL_CUDA_INCLUDE_DIR cuda_runtime.h HINTS ${folders})
set(NCCL_INCLUDE_DIRS "${NCCL_INCLUDE_DIR}" "${NCCL_CUDA_INCLUDE_DIR}" ${from_wheels})
if(NCCL_INCLUDE_DIR AND NCCL_CUDA_INCLUDE_DIR AND NOT NCCL_FITS)
  unset(NCCL_FITS CACHE)  # what was missing may be there now
  file(WRITE "${CMAKE_BINARY_DIR}/nccl_fits.cpp" "#define USE_C10D_NCCL
#define USE_DISTRIBUTED
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
int main() { return c10d::ProcessGroupNCCL::Options::create() ? 0 : 1; }\n")
  message(STATUS "Checking whether NCCL's headers fit LibTorch")
  try_compile(NCCL_FITS "${CMAKE_BINARY_DIR}/nccl_fits" "${CMAKE_BINARY_DIR}/nccl_fits.cpp"
              CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${NCCL_INCLUDE_DIRS}"
              LINK_LIBRARIES LibTorch::LibTorch CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_INCLUDE_DIR NCCL_CUDA_INCLUDE_DIR NCCL_FITS
  REASON_FAILURE_MESSAGE
    "gloss train-translate will use one GPU only: install the headers of NCCL and CUDA for several (docs/building.md)")
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_CUDA_INCLUDE_DIR)
if(NCCL_FOUND AND NOT TARGET NCCL::headers)
  add_library(NCCL::headers INTERFACE IMPORTED)
  target_include_directories(NCCL::headers SYSTEM INTERFACE ${NCCL_INCLUDE_DIRS})
endif()
