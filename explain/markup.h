#pragma once

#include <string>
#include <string_view>

#include "common/text/printable.h"

namespace gloss {

/// Returns a text in the form in which HTML and XML write it between tags, with control characters escaped for readers.
inline std::string markup_escaped(std::string_view text) {
  std::string result;
  for (const char character : printable(text, text.npos)) {
    if (character == '<')
      result += "&lt;";
    else if (character == '>')
      result += "&gt;";
    else if (character == '&')
      result += "&amp;";
    else
      result += character;
  }
  return result;
}

}  // namespace gloss
