#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/api/api_context.h"

namespace gloss {

/// /v2/glossaries: glossaries of one direction. GET, POST; below it ID and ID/entries: GET, DELETE.
void deepl_glossaries(ApiCall& call);
/// /v3/glossaries: glossaries with dictionaries of several directions. GET, POST; below it ID: GET, PATCH, DELETE;
/// ID/entries: GET; ID/dictionaries: PUT, DELETE.
void deepl_multilingual_glossaries(ApiCall& call);

/// Returns the entries that the fields glossary_id and glossary_ids of a request name; the first glossary that has a
/// phrase counts. Throws ApiError 400 without a source language, and if a glossary has no dictionary for the languages;
/// 404 if the key has none of the name.
std::vector<std::pair<std::string, std::string>> deepl_glossary(ApiCall& call, std::string_view source,
                                                                std::string_view target);

}  // namespace gloss
