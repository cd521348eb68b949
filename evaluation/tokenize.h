#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// How BLEU cuts a line into tokens; sacreBLEU's tokenizers of these names.
enum class BleuTokenizer {
  k13a,   ///< mteval-v13a.pl's, for languages with spaces
  kZh,    ///< each Chinese character for itself, the rest as 13a without its entities
  kChar,  ///< each character
  kNone,  ///< what spaces set apart
};

/// "13a", "zh", "char", "none"
std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer);

/// The tokens of a line, joined by single spaces.
std::string tokenize(BleuTokenizer tokenizer, std::string_view line);

}  // namespace gloss
