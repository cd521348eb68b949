#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/api/api_context.h"

namespace gloss {

// Functions that the routes of DeepL's interface share.

/// Returns whether a request is of DeepL's interface, whose errors are {"message": text}.
bool is_for_deepl(const HttpRequest& request);

/// Throws ApiError 400 for fields that would change a translation, and that no model here follows.
void expect_possible_fields(const RequestFields& fields);

/// Returns the entries that the fields glossary_id and glossary_ids of a request name; the first glossary that has a
/// phrase counts. Throws ApiError 400 without a source language, and if a glossary has no dictionary for the languages;
/// 404 if the key has none of the name.
std::vector<std::pair<std::string, std::string>> deepl_glossary(ApiCall& call, std::string_view source,
                                                                std::string_view target);

/// Returns a code of DeepL as the models name it, if they name it in another way: "zh-CN" for "ZH-HANS", "no" for "NB".
std::string served_source(const ServedModels& models, std::string_view code);
std::string served_target(const ServedModels& models, std::string_view code);

/// Returns "en" for "EN-US", and "nb" for "no", as DeepL names it.
std::string primary_language(std::string_view code);
/// Returns a code as version 2 writes it: "PT-BR".
std::string in_capitals(std::string_view code);

}  // namespace gloss
