# What `cmake --install` writes, as two components: `runtime` (the program, libgloss.so, LibTorch, documents) and
# `development` (headers, the CMake package). The tree runs wherever it is moved to. docs/installing.md.
include(CMakePackageConfigHelpers)
include("${CMAKE_CURRENT_LIST_DIR}/LibTorchFiles.cmake")

set(install_libtorch_by_default ON)
if(LibTorch_CUDA)
  set(install_libtorch_by_default OFF)  # gigabytes, and libraries of CUDA's from other packages
endif()
option(GLOSS_INSTALL_LIBTORCH "Install LibTorch's libraries beside ours" ${install_libtorch_by_default})

# In a folder of their own, so that they stand in nobody's way; libtorch_cpu.so itself looks beside itself.
set(private_folder "${CMAKE_INSTALL_LIBDIR}/gloss")
if(GLOSS_INSTALL_LIBTORCH)
  file(RELATIVE_PATH from_program "/${CMAKE_INSTALL_BINDIR}" "/${private_folder}")
  set_property(TARGET gloss PROPERTY INSTALL_RPATH "$ORIGIN/${from_program}")
  set_property(TARGET libgloss PROPERTY INSTALL_RPATH "$ORIGIN/gloss")
  libtorch_files("${LibTorch_ROOT_DIR}" files)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    get_filename_component(real "${file}" REALPATH)
    install(FILES "${real}" DESTINATION "${private_folder}" RENAME "${name}" COMPONENT runtime)
  endforeach()
else()
  set_property(TARGET gloss libgloss PROPERTY INSTALL_RPATH "${LibTorch_ROOT_DIR}/lib")
endif()

install(TARGETS gloss RUNTIME COMPONENT runtime)
install(TARGETS libgloss EXPORT gloss-targets LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY library/include/gloss TYPE INCLUDE COMPONENT development)
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/gloss" COMPONENT runtime)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/gloss" COMPONENT runtime FILES_MATCHING PATTERN "*.md")
install(DIRECTORY configs DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/gloss" COMPONENT runtime)
install(FILES tests/library/consumer/main.cpp tests/library/consumer/CMakeLists.txt
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/gloss/example" COMPONENT development)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/gloss")
install(EXPORT gloss-targets NAMESPACE gloss:: DESTINATION "${package_folder}" COMPONENT development)
configure_package_config_file(cmake/gloss-config.cmake.in "${PROJECT_BINARY_DIR}/gloss-config.cmake"
                              INSTALL_DESTINATION "${package_folder}")
# Before version 1 each minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gloss-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gloss-config.cmake" "${PROJECT_BINARY_DIR}/gloss-config-version.cmake"
        DESTINATION "${package_folder}" COMPONENT development)

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
