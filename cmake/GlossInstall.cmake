# What `cmake --install` writes, as two components: `runtime` (the program, libgloss.so, LibTorch, documents) and
# `development` (headers, the CMake package). The tree runs wherever it is moved to. docs/installing.md.
include(CMakePackageConfigHelpers)
include("${CMAKE_CURRENT_LIST_DIR}/LibTorchFiles.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/LinkedFiles.cmake")

set(install_libtorch_by_default ON)
if(LibTorch_CUDA)
  set(install_libtorch_by_default OFF)  # gigabytes, and libraries of CUDA's from other packages
endif()
option(GLOSS_INSTALL_LIBTORCH "Install LibTorch's libraries beside ours" ${install_libtorch_by_default})

# In a folder of their own, so that they stand in nobody's way; libtorch_cpu.so itself looks beside itself.
set(private_folder "${CMAKE_INSTALL_LIBDIR}/gloss")
set(documents "${CMAKE_INSTALL_DATADIR}/doc/gloss")
if(GLOSS_INSTALL_LIBTORCH)
  set_property(TARGET gloss_run PROPERTY INSTALL_RPATH "$ORIGIN")
  set_property(TARGET libgloss PROPERTY INSTALL_RPATH "$ORIGIN/gloss")
  libtorch_files("${LibTorch_ROOT_DIR}" files)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    get_filename_component(real "${file}" REALPATH)
    install(FILES "${real}" DESTINATION "${private_folder}" RENAME "${name}" COMPONENT runtime)
  endforeach()
  set(licenses "${documents}/licenses")
  libtorch_licenses("${LibTorch_ROOT_DIR}" texts)
  foreach(text IN LISTS texts)
    if(IS_DIRECTORY "${text}")
      install(DIRECTORY "${text}" DESTINATION "${licenses}/libtorch" COMPONENT runtime)
    else()
      install(FILES "${text}" DESTINATION "${licenses}/libtorch" COMPONENT runtime)
    endif()
  endforeach()
  if(NOT texts)
    message(STATUS "This LibTorch comes without its license texts, so none are installed (docs/third_party.md)")
  endif()
else()
  # Whoever may write to this folder on the machine that runs gloss decides what it loads. A folder of the machine that
  # builds a package may be anybody's on another one, so packages need a folder that is named for them.
  set(GLOSS_LIBTORCH_RUNPATH "" CACHE STRING "Folder of LibTorch's libraries on the machines that install a package")
  if(GLOSS_LIBTORCH_RUNPATH)
    set_property(TARGET gloss_run libgloss PROPERTY INSTALL_RPATH "${GLOSS_LIBTORCH_RUNPATH}")
  else()
    set_property(TARGET gloss_run libgloss PROPERTY INSTALL_RPATH "${LibTorch_ROOT_DIR}/lib")
    set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/refuse_package.cmake")
  endif()
endif()

install(TARGETS gloss RUNTIME COMPONENT runtime)
install(TARGETS gloss_run RUNTIME DESTINATION "${private_folder}" COMPONENT runtime)
# Manual pages and completions, which the program makes of its own declarations.
set(shell_files "${PROJECT_BINARY_DIR}/shell")
install(CODE "
  file(REMOVE_RECURSE \"${shell_files}\")
  execute_process(COMMAND \"$<TARGET_FILE:gloss>\" man --out \"${shell_files}/man1\" COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell bash zsh fish)
    execute_process(COMMAND \"$<TARGET_FILE:gloss>\" completion \${shell} OUTPUT_FILE \"${shell_files}/\${shell}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()" COMPONENT runtime)
install(DIRECTORY "${shell_files}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT runtime)
install(FILES "${shell_files}/bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME gloss
        COMPONENT runtime)
install(FILES "${shell_files}/zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" RENAME _gloss
        COMPONENT runtime)
install(FILES "${shell_files}/fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        RENAME gloss.fish COMPONENT runtime)
install(TARGETS libgloss EXPORT gloss-targets LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY library/include/gloss TYPE INCLUDE COMPONENT development)
# The documents, laid out as in the source tree with every file that they link to, so that their links resolve.
file(GLOB pages RELATIVE "${PROJECT_SOURCE_DIR}" README.md docs/*.md configs/*.md)
linked_files(linked ${pages})
foreach(file IN LISTS pages linked)
  get_filename_component(folder "${file}" DIRECTORY)
  install(FILES "${file}" DESTINATION "${documents}/${folder}" COMPONENT runtime)
endforeach()
list(FILTER linked INCLUDE REGEX "\\.md$")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pages} ${linked})
install(DIRECTORY configs DESTINATION "${documents}" COMPONENT runtime)
install(FILES tests/library/consumer/main.cpp tests/library/consumer/CMakeLists.txt
        DESTINATION "${documents}/example" COMPONENT development)
# Texts of what is compiled into the program, where Debian's packages have them.
foreach(package nlohmann-json3-dev libcli11-dev
        "libboost${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev")
  if(EXISTS "/usr/share/doc/${package}/copyright")
    install(FILES "/usr/share/doc/${package}/copyright" DESTINATION "${documents}/licenses" RENAME "${package}"
            COMPONENT runtime)
  endif()
endforeach()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/gloss")
install(EXPORT gloss-targets NAMESPACE gloss:: DESTINATION "${package_folder}" COMPONENT development)
configure_package_config_file(cmake/gloss-config.cmake.in "${PROJECT_BINARY_DIR}/gloss-config.cmake"
                              INSTALL_DESTINATION "${package_folder}")
# Before version 1 each minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gloss-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gloss-config.cmake" "${PROJECT_BINARY_DIR}/gloss-config-version.cmake"
        DESTINATION "${package_folder}" COMPONENT development)

set(pkgconfig_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pkgconfig_to_prefix "/${pkgconfig_folder}" "/")
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")
configure_file(cmake/gloss.pc.in "${PROJECT_BINARY_DIR}/gloss.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/gloss.pc" DESTINATION "${pkgconfig_folder}" COMPONENT development)

# `cpack -G DEB`: gloss, and gloss-dev for those who embed it.
set(CPACK_PACKAGE_VENDOR gloss)
set(CPACK_PACKAGE_CONTACT "gloss maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME gloss)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${LibTorch_ROOT_DIR}/lib")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME gloss-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "gloss (= ${PROJECT_VERSION})")
include(CPack)
