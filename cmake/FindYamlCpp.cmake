# yaml-cpp, which reads the options and vocabularies of Marian: the target YamlCpp::YamlCpp.
find_path(YamlCpp_INCLUDE_DIR yaml-cpp/yaml.h)
find_library(YamlCpp_LIBRARY yaml-cpp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(YamlCpp REQUIRED_VARS YamlCpp_LIBRARY YamlCpp_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "gloss will not import models of Marian: install libyaml-cpp-dev for it")
mark_as_advanced(YamlCpp_INCLUDE_DIR YamlCpp_LIBRARY)
if(YamlCpp_FOUND AND NOT TARGET YamlCpp::YamlCpp)
  add_library(YamlCpp::YamlCpp UNKNOWN IMPORTED)
  target_include_directories(YamlCpp::YamlCpp SYSTEM INTERFACE ${YamlCpp_INCLUDE_DIR})
  set_target_properties(YamlCpp::YamlCpp PROPERTIES IMPORTED_LOCATION ${YamlCpp_LIBRARY})
endif()
