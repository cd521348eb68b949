# libedit, which edits lines at a terminal: the target LibEdit::LibEdit.
find_path(LibEdit_INCLUDE_DIR histedit.h)
find_library(LibEdit_LIBRARY edit)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibEdit REQUIRED_VARS LibEdit_LIBRARY LibEdit_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "gloss translate will not edit lines at a terminal: install libedit-dev for it")
mark_as_advanced(LibEdit_INCLUDE_DIR LibEdit_LIBRARY)
if(LibEdit_FOUND AND NOT TARGET LibEdit::LibEdit)
  add_library(LibEdit::LibEdit UNKNOWN IMPORTED)
  target_include_directories(LibEdit::LibEdit SYSTEM INTERFACE ${LibEdit_INCLUDE_DIR})
  set_target_properties(LibEdit::LibEdit PROPERTIES IMPORTED_LOCATION ${LibEdit_LIBRARY})
endif()
