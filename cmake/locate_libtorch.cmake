# cmake [-D GLOSS_LIBTORCH=DIR] [-D GLOSS_CUDA=ON] [-D CHECK=DIR] -P locate_libtorch.cmake
#
# For scripts/setup.sh. Prints a line `refused: WHY` for each LibTorch that does not fit, then one of
#   found: DIR      pointed: WHAT (the user points to one that does not fit)      none:
# With CHECK only that folder is looked at.
cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/LibTorchSearch.cmake")

if(CHECK)
  set(GLOSS_LIBTORCH "${CHECK}")
endif()
get_filename_component(source_dir "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
libtorch_search("${source_dir}" root refused pointed)
set(lines ${refused})
list(TRANSFORM lines PREPEND "refused: ")
if(root)
  list(APPEND lines "found: ${root}")
elseif(pointed)
  list(APPEND lines "pointed: ${pointed}")
else()
  list(APPEND lines "none:")
endif()
list(JOIN lines "\n" text)
execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${text}")
