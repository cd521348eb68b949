# CLD2, which detects languages: the target CLD2::CLD2.
find_path(CLD2_INCLUDE_DIR cld2/public/compact_lang_det.h)
find_library(CLD2_LIBRARY cld2)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CLD2 REQUIRED_VARS CLD2_LIBRARY CLD2_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "gloss serve will not detect languages: install libcld2-dev for it")
mark_as_advanced(CLD2_INCLUDE_DIR CLD2_LIBRARY)
if(CLD2_FOUND AND NOT TARGET CLD2::CLD2)
  add_library(CLD2::CLD2 UNKNOWN IMPORTED)
  target_include_directories(CLD2::CLD2 SYSTEM INTERFACE ${CLD2_INCLUDE_DIR})
  set_target_properties(CLD2::CLD2 PROPERTIES IMPORTED_LOCATION ${CLD2_LIBRARY})
endif()
