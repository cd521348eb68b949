# Flags of every target of ours. Several sources are compiled as one, since the headers that they share take longer than
# they do themselves. File-local functions of one folder therefore need different names, or different kinds of
# arguments: a call with a string may otherwise choose a neighbor's overload that takes a bool.
function(gloss_options target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GLOSS_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 24)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                         -Wno-unknown-pragmas $<$<BOOL:${GLOSS_WARNINGS_AS_ERRORS}>:-Werror>)
  # Text, models and messages come from elsewhere: containers check their indices, functions of C the sizes that they
  # can know, and indirect jumps their targets. Programs lie at random addresses. The innermost loops, which see none of
  # these, do without. Some distributions set a level of their own.
  if(NOT target MATCHES "^gloss_kernels")
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    target_compile_options(${target} PRIVATE -ffp-contract=off)
    if(NOT GLOSS_SANITIZE)
      target_compile_options(${target} PRIVATE -fstack-protector-strong
                             "$<$<CONFIG:Release>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")
      if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        target_compile_options(${target} PRIVATE -fcf-protection)
      endif()
      target_link_options(${target} PRIVATE LINKER:-z,relro LINKER:-z,now
                          $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
    endif()
  endif()
  if(GLOSS_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${GLOSS_SANITIZE} -fno-sanitize-recover=undefined
                           -fno-omit-frame-pointer)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/sanitizer_defaults.cpp")
      target_link_options(${target} PRIVATE -fsanitize=${GLOSS_SANITIZE})
    endif()
  endif()
endfunction()

# gloss_rarely_runs(<target>): parses, calls and prints, or tests; its own instructions take no time that can be
# measured, but a third of their compilation goes into optimizing them.
function(gloss_rarely_runs target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# gloss_library(<target> SOURCES ... [PUBLIC ...] [PRIVATE ...]): one folder, one target, its dependencies named.
function(gloss_library target)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  gloss_options(${target})
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# gloss_uses_torch(<target>): LibTorch's headers come precompiled.
function(gloss_uses_torch target)
  if(target STREQUAL "gloss_tensor")
    target_precompile_headers(${target} PRIVATE precompiled.h)
  else()
    target_precompile_headers(${target} REUSE_FROM gloss_tensor)
  endif()
endfunction()

# gloss_test(<name> SOURCES ... LIBRARIES ... [TORCH]): one test program a folder. With TORCH its sources are compiled
# together, but only a few, since their helpers have like names.
function(gloss_test name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  gloss_options(${name})
  gloss_rarely_runs(${name})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gmock_main)
  if(ARG_TORCH)
    target_link_libraries(${name} PRIVATE gloss_stand_in)
    gloss_uses_torch(${name})
    set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 8)
  else()
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  # Tests run side by side; one that is about threads sets their number itself.
  set(tests "${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake")
  add_custom_command(
    TARGET ${name} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${name}>" "-DOUTPUT=${tests}"
            "-DWORKING_DIRECTORY=${CMAKE_CURRENT_BINARY_DIR}" "-DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}"
            -P "${PROJECT_SOURCE_DIR}/cmake/write_test_suites.cmake"
    BYPRODUCTS "${tests}" VERBATIM)
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake")
  file(WRITE "${include}" "if(EXISTS \"${tests}\")\n  include(\"${tests}\")\nelse()\n"
                          "  add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()

# gloss_fuzz(<name> [SOURCES ...] LIBRARIES ...): the program fuzz_<name> of <name>_fuzz.cpp; without GLOSS_FUZZ a test.
# SOURCES, relative to the source tree, are compiled into it: files without torch of a folder whose library needs torch.
function(gloss_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/")
  set(target fuzz_${name})
  add_executable(${target} ${name}_fuzz.cpp ${ARG_SOURCES})
  gloss_options(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE GLOSS_GOLDEN_FOLDER="${PROJECT_SOURCE_DIR}/tests/golden")
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})
  if(GLOSS_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    gloss_rarely_runs(${target})
    target_link_libraries(${target} PRIVATE gloss_fuzz_replay)
    add_test(NAME Fuzz.${name} COMMAND ${target} "seeds/${name}" 2000)
    set_tests_properties(Fuzz.${name} PROPERTIES FIXTURES_REQUIRED fuzz_seeds)
  endif()
endfunction()
