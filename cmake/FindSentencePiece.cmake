# SentencePiece as Debian and Ubuntu package it: targets SentencePiece::SentencePiece and SentencePiece::Train.
find_path(SentencePiece_INCLUDE_DIR sentencepiece_processor.h)
find_library(SentencePiece_LIBRARY sentencepiece)
find_library(SentencePiece_TRAIN_LIBRARY sentencepiece_train)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SentencePiece
  REQUIRED_VARS SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY SentencePiece_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libsentencepiece-dev, or run scripts/setup.sh")
foreach(part SentencePiece Train)
  if(SentencePiece_FOUND AND NOT TARGET SentencePiece::${part})
    add_library(SentencePiece::${part} UNKNOWN IMPORTED)
    target_include_directories(SentencePiece::${part} SYSTEM INTERFACE ${SentencePiece_INCLUDE_DIR})
  endif()
endforeach()
if(SentencePiece_FOUND)
  set_target_properties(SentencePiece::SentencePiece PROPERTIES IMPORTED_LOCATION ${SentencePiece_LIBRARY})
  set_target_properties(SentencePiece::Train PROPERTIES IMPORTED_LOCATION ${SentencePiece_TRAIN_LIBRARY})
endif()
