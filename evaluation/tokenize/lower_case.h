#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Appends valid UTF-8 in lower case, as Python's str.lower(). Every character is converted by itself, except for a
/// capital sigma, which depends on whether it ends a word (Unicode, table 3-17, Final_Sigma). Invalid bytes are kept.
/// unicode_tables.cpp names the versions.
void append_lower(std::string_view text, std::string& result);

inline std::string lower(std::string_view text) {
  std::string result;
  append_lower(text, result);
  return result;
}

}  // namespace gloss
