#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gloss {

/// Returns whether the text has the form of a language tag (BCP 47, RFC 5646): "en", "pt-BR", "zh-Hans-CN",
/// "de-CH-1996".
bool is_language_tag(std::string_view text);

/// Returns "eng-Latn" for "eng_Latn", as BCP 47 spells it. A text that is no language tag is returned as it is.
std::string with_hyphens(const std::string& language);

/// Returns whether i and I are different letters of a language, so that letter_case.h is wrong for it: Turkish,
/// Azerbaijani.
bool has_dotless_i(std::string_view tag);

/// Returns the language at the end of a text file's name: "en" for train.en, train.en.txt and en.txt, "pt-BR" for
/// train.pt_BR, "eng-Latn" for dev.eng_Latn. The ending must be a two-letter language of ISO 639-1, optionally with
/// script and region, or a three-letter language with a script. Returns "" for others; train.en-de names two languages.
std::string language_of_file(const std::filesystem::path& file);

}  // namespace gloss
