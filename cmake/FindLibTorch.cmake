# LibTorch, the C++ half of PyTorch, as the target LibTorch::LibTorch. Sets LibTorch_FOUND, LibTorch_VERSION,
# LibTorch_ROOT_DIR and LibTorch_CUDA. Where it is looked for: docs/building.md and LibTorchSearch.cmake.
#
# PyTorch's own TorchConfig.cmake is not used: it searches system folders first, so that a system's libc10 gets mixed
# in, and for a CUDA build it wants the CUDA toolkit.
include(FindPackageHandleStandardArgs)
include("${CMAKE_CURRENT_LIST_DIR}/LibTorchSearch.cmake")

# Once found it stays until the user points elsewhere.
set(LibTorch_ROOT_DIR "" CACHE PATH "The LibTorch in use; GLOSS_LIBTORCH chooses another")
libtorch_pointed(place pointed)
set(root "${LibTorch_ROOT_DIR}")
set(refused "")
if(root AND NOT pointed)
  libtorch_problem("${root}" problem)
  if(problem)
    set(root "")
  endif()
endif()
if(pointed OR NOT root)
  libtorch_search("${PROJECT_SOURCE_DIR}" root refused pointed)
endif()

set(LibTorch_VERSION "")
set(LibTorch_CUDA OFF)
if(root)
  foreach(line IN LISTS refused)
    message(STATUS "${line}")
  endforeach()
  if(NOT root STREQUAL LibTorch_ROOT_DIR)
    set_property(CACHE LibTorch_ROOT_DIR PROPERTY VALUE "${root}")
    unset(LibTorch_RUNS CACHE)
  endif()
  libtorch_version("${root}" LibTorch_VERSION)
else()
  set_property(CACHE LibTorch_ROOT_DIR PROPERTY VALUE "")
endif()

# Sets ${out} to the OpenMP run-time that LibTorch itself loads: its own copy, or the one beside it, or the system's.
# Ours must be the same: two of them in a process fight over the cores.
function(libtorch_openmp root out)
  libtorch_loader_headers("${root}/lib/libtorch_cpu.so" headers)
  set(${out} "" PARENT_SCOPE)
  if(NOT headers MATCHES "NEEDED +(lib[gi]?omp[^ \n]*)")
    return()
  endif()
  set(name "${CMAKE_MATCH_1}")
  foreach(folder lib ../torch.libs ../../..)  # as in the wheels of x86_64, of aarch64, and in Conda
    if(EXISTS "${root}/${folder}/${name}")
      get_filename_component(library "${root}/${folder}/${name}" ABSOLUTE)
      set(${out} "${library}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" "-print-file-name=${name}" OUTPUT_VARIABLE library
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${out} "${library}" PARENT_SCOPE)
endfunction()

if(root AND NOT TARGET LibTorch::LibTorch)
  set(libraries "")
  foreach(name torch torch_cpu torch_cuda c10_cuda c10)
    if(EXISTS "${root}/lib/lib${name}.so")
      list(APPEND libraries "${root}/lib/lib${name}.so")
    endif()
  endforeach()
  if(EXISTS "${root}/lib/libtorch_cuda.so")
    set(LibTorch_CUDA ON)
  endif()
  libtorch_openmp("${root}" openmp)
  # clang calls LLVM's run-time. Named first, it also serves the calls of LibTorch, whose own run-time then does
  # nothing.
  set(openmp_runtimes 1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND openmp MATCHES "libgomp")
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-resource-dir OUTPUT_VARIABLE resources
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    find_library(LibTorch_LLVM_OPENMP omp HINTS "${resources}/../.." "${resources}/../../..")
    mark_as_advanced(LibTorch_LLVM_OPENMP)
    if(NOT LibTorch_LLVM_OPENMP)
      message(FATAL_ERROR "LLVM's OpenMP run-time (libomp) was not found; run scripts/setup.sh --clang")
    endif()
    list(INSERT libraries 0 "${LibTorch_LLVM_OPENMP}")
    set(openmp_runtimes 2)
  endif()

  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE "${root}/include"
                             "${root}/include/torch/csrc/api/include")
  target_link_libraries(LibTorch::LibTorch INTERFACE ${libraries} ${openmp})
  # Without -fopenmp at::parallel_for in our own files is silently serial. It is no link option, which would add the
  # system's libgomp. Nothing of ours calls torch_cuda by name, hence --no-as-needed. torch/lib comes first in RUNPATH,
  # but for what is installed (GlossInstall.cmake): there it stands once, where CMake puts it, so that it can be
  # replaced.
  target_compile_options(LibTorch::LibTorch INTERFACE -fopenmp)
  # Some classes of LibTorch have more members without NDEBUG, with which LibTorch is built. Release sets it anyway.
  target_compile_definitions(LibTorch::LibTorch INTERFACE "$<$<NOT:$<CONFIG:Release>>:NDEBUG>")
  target_link_options(LibTorch::LibTorch INTERFACE "LINKER:--no-as-needed"
                      "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:INSTALL_RPATH>>>:LINKER:-rpath,${root}/lib>")
endif()

# A small program must build, start, run at::parallel_for on two threads, hold the expected OpenMP run-times and find
# MKL's number of threads.
if(root AND NOT LibTorch_RUNS)
  try_run(status built "${PROJECT_BINARY_DIR}/CMakeFiles/libtorch" "${CMAKE_CURRENT_LIST_DIR}/libtorch_check.cpp"
          COMPILE_DEFINITIONS -DGLOSS_OPENMP_RUNTIMES=${openmp_runtimes}
          LINK_LIBRARIES LibTorch::LibTorch CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
          COMPILE_OUTPUT_VARIABLE build_output RUN_OUTPUT_VARIABLE run_output)
  if(built AND status EQUAL 0)
    set(LibTorch_RUNS TRUE CACHE INTERNAL "A small program was built and run against LibTorch_ROOT_DIR")
  elseif(built)
    list(APPEND refused "A small program against ${root} was built but does not run (${status}): ${run_output}")
  else()
    string(REGEX MATCHALL "[^\n]*(error:|undefined|cannot find|not found)[^\n]*" lines "${build_output}")
    list(SUBLIST lines 0 5 lines)
    list(JOIN lines "\n    " lines)
    list(APPEND refused "A small program against ${root} cannot be built:\n    ${lines}")
  endif()
  if(NOT LibTorch_RUNS)
    set_property(CACHE LibTorch_ROOT_DIR PROPERTY VALUE "")
  endif()
endif()

if(NOT refused)
  set(refused "nothing points to one, .deps/libtorch is not there, no Python has torch.")
endif()
list(JOIN refused "\n  " reasons)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_ROOT_DIR LibTorch_RUNS VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "
  ${reasons}
  Run scripts/setup.sh, or point GLOSS_LIBTORCH to a LibTorch that fits (docs/building.md).")
if(LibTorch_FOUND)
  message(STATUS "LibTorch ${LibTorch_VERSION}, CUDA ${LibTorch_CUDA}, OpenMP run-time ${openmp}")
endif()
