#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Settings of sacreBLEU's TER for preparing a line.
struct TerOptions {
  bool normalized = false;  ///< resolves entities and separates punctuation
  bool no_punct = false;    ///< drops punctuation
  bool asian_support =
      false;  ///< with `normalized`: separates Chinese characters; with `no_punct`: drops their punctuation
  bool case_sensitive = false;  ///< no lowercasing
};

/// Returns the tokens of a line, joined by single spaces, as sacreBLEU's tokenizer "tercom" does.
std::string tokenize_tercom(const TerOptions& options, std::string_view line);

}  // namespace gloss
