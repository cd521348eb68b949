# cmake -D PROGRAM=... -D OUTPUT=... -D WORKING_DIRECTORY=... [-D EMULATOR=...] -P write_test_suites.cmake
#
# Writes a CTest file with one test for each suite of a GoogleTest program. One process for each case would spend more
# time on loading LibTorch than on the cases.
execute_process(COMMAND ${EMULATOR} "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE failed
                TIMEOUT 120)
if(failed)
  file(REMOVE "${OUTPUT}")
  message(FATAL_ERROR "${PROGRAM} does not list its tests: ${failed}")
endif()
string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${listed}")
set(script "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  string(APPEND script "add_test([==[${suite}]==] ${EMULATOR} [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==])\n"
                       "set_tests_properties([==[${suite}]==] PROPERTIES ENVIRONMENT OMP_NUM_THREADS=1\n"
                       "  WORKING_DIRECTORY [==[${WORKING_DIRECTORY}]==])\n")
endforeach()
file(WRITE "${OUTPUT}" "${script}")
