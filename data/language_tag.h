#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gloss {

/// True where the text is formed as a language tag (BCP 47, RFC 5646): "en", "pt-BR", "zh-Hans-CN", "de-CH-1996".
bool is_language_tag(std::string_view text);

/// The language that the name of a text file ends in: "en" for train.en, train.en.txt and en.txt, "pt-BR" for
/// train.pt_BR, "eng-Latn" for dev.eng_Latn. Empty where the ending is not a two-letter language of ISO 639-1, with a
/// script or a region after it or not, or a three-letter language with a script; train.en-de names two languages.
std::string language_of_file(const std::filesystem::path& file);

}  // namespace gloss
