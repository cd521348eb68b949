#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// How TER prepares a line; the settings of sacreBLEU's TER.
struct TerOptions {
  bool normalized = false;  ///< resolves entities and sets punctuation apart
  bool no_punct = false;    ///< drops punctuation
  bool asian_support =
      false;  ///< beside `normalized` sets Chinese characters apart, beside `no_punct` drops their marks
  bool case_sensitive = false;  ///< keeps capitals
};

/// The tokens of a line, joined by single spaces, as sacreBLEU's tokenizer "tercom" leaves them.
std::string tokenize_tercom(const TerOptions& options, std::string_view line);

}  // namespace gloss
