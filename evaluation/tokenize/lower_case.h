#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Appends what Python's str.lower() makes of valid UTF-8: every character by itself, a capital sigma by whether it
/// ends a word (Unicode, table 3-17, Final_Sigma). Bytes that are not UTF-8 stay. Of which version: unicode_tables.cpp.
void append_lower(std::string_view text, std::string& result);

inline std::string lower(std::string_view text) {
  std::string result;
  append_lower(text, result);
  return result;
}

}  // namespace gloss
