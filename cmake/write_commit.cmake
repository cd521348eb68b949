# cmake -D SOURCE_DIR=DIR -D FILE=FILE -P write_commit.cmake
#
# Writes a header with the commit of the source tree, "" where there is none. An equal file is left as it is, so that
# nothing is compiled again.
cmake_minimum_required(VERSION 3.22)

find_program(GIT git)
set(commit "")
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${FILE}" CONTENT "#pragma once\n\ninline constexpr char kCommit[] = \"@commit@\";\n" @ONLY)
