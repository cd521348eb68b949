# Compiles through ccache where it is installed. A precompiled header holds times and macros that ccache would otherwise
# not let pass, and paths are taken relative to the source tree, so that another clone finds what this one compiled.
find_program(GLOSS_CCACHE ccache)
mark_as_advanced(GLOSS_CCACHE)
if(GLOSS_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true "${GLOSS_CCACHE}")
endif()
