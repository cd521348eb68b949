#pragma once

#include <string>
#include <string_view>

#include "serve/api/api_context.h"

namespace gloss {

/// Returns a code of DeepL as the models name it, if they name it in another way: "zh-CN" for "ZH-HANS", "no" for "NB".
std::string served_source(const ServedModels& models, std::string_view code);
std::string served_target(const ServedModels& models, std::string_view code);

/// Returns "en" for "EN-US", and "nb" for "no", as DeepL names it.
std::string primary_language(std::string_view code);
/// Returns a code as version 2 writes it: "PT-BR".
std::string in_capitals(std::string_view code);

/// GET, POST /v2/languages: those that are served, with type=target as variants.
void deepl_languages(ApiCall& call);
/// GET /v3/languages?resource=translate_text|glossary: the same, in one list.
void deepl_languages_by_resource(ApiCall& call);
/// GET /v2/glossary-language-pairs: those that one model translates.
void deepl_glossary_pairs(ApiCall& call);

}  // namespace gloss
