#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace gloss {

/// How BLEU cuts a line into tokens; sacreBLEU's tokenizers of these names.
enum class BleuTokenizer {
  k13a,   ///< mteval-v13a.pl's, for languages with spaces
  kZh,    ///< each Chinese character for itself, the rest as 13a without its entities
  kChar,  ///< each character
  kNone,  ///< what spaces set apart
};

/// As sacreBLEU's signatures and options spell them.
inline constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 4> kBleuTokenizers{
    {{"13a", BleuTokenizer::k13a},
     {"zh", BleuTokenizer::kZh},
     {"char", BleuTokenizer::kChar},
     {"none", BleuTokenizer::kNone}}};
std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer);

/// The tokens of a line, joined by single spaces.
std::string tokenize(BleuTokenizer tokenizer, std::string_view line);

}  // namespace gloss
