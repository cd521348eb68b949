# libzip, which reads and writes archives: the target LibZip::LibZip. Debian's own libzip-config.cmake fails where the
# programs zipcmp and zipmerge are not installed.
find_path(LibZip_INCLUDE_DIR zip.h)
find_library(LibZip_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZip REQUIRED_VARS LibZip_LIBRARY LibZip_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "gloss will read and write no .npz files: install libzip-dev for it")
mark_as_advanced(LibZip_INCLUDE_DIR LibZip_LIBRARY)
if(LibZip_FOUND AND NOT TARGET LibZip::LibZip)
  add_library(LibZip::LibZip UNKNOWN IMPORTED)
  target_include_directories(LibZip::LibZip SYSTEM INTERFACE ${LibZip_INCLUDE_DIR})
  set_target_properties(LibZip::LibZip PROPERTIES IMPORTED_LOCATION ${LibZip_LIBRARY})
endif()
