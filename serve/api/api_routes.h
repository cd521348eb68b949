#pragma once

#include <string>
#include <vector>

#include "serve/api/api_context.h"

namespace gloss {

// The routes of LibreTranslate's interface (docs/serving.md). Errors are {"error": text}.

/// POST /translate: one text or a list, plain or HTML; with alternatives, a glossary, and as a stream of events.
void libre_translate(ApiCall& call);
/// GET /languages.
void libre_languages(ApiCall& call);
/// GET /frontend/settings.
void libre_settings(ApiCall& call);
/// POST /detect.
void libre_detect(ApiCall& call);
/// POST /suggest, which is refused.
void libre_suggest(ApiCall& call);

// The routes of DeepL's interface (docs/serving_deepl.md). Errors are {"message": text}.

/// GET, POST /v2/translate: up to 50 texts, plain, HTML or XML.
void deepl_translate(ApiCall& call);
/// GET, POST /v2/usage: the characters of the key.
void deepl_usage(ApiCall& call);

/// GET, POST /v2/languages: those that are served, with type=target as variants.
void deepl_languages(ApiCall& call);
/// GET /v3/languages?resource=translate_text|glossary: the same, in one list.
void deepl_languages_by_resource(ApiCall& call);
/// GET /v2/glossary-language-pairs: those that one model translates.
void deepl_glossary_pairs(ApiCall& call);

/// /v2/glossaries: glossaries of one direction. GET, POST; below it ID and ID/entries: GET, DELETE.
void deepl_glossaries(ApiCall& call);
/// /v3/glossaries: glossaries with dictionaries of several directions. GET, POST; below it ID: GET, PATCH, DELETE;
/// ID/entries: GET; ID/dictionaries: PUT, DELETE.
void deepl_multilingual_glossaries(ApiCall& call);

// Translation of documents (docs/serving.md): the routes of LibreTranslate and of DeepL.

/// Returns the endings of the names of documents that are translated: ".txt", ".docx".
std::vector<std::string> document_endings();

/// POST /translate_file: answers {"translatedFileUrl": link} when the document is translated.
void libre_translate_file(ApiCall& call);
/// GET /download_file/NAME: the link.
void libre_download_file(ApiCall& call);

/// POST /v2/document: answers {"document_id", "document_key"} at once.
void deepl_upload_document(ApiCall& call);
/// /v2/document/ID: GET and POST return its status, DELETE stops and removes it. GET and POST /v2/document/ID/result:
/// the translation, once.
void deepl_document(ApiCall& call);

// The routes of gloss's own, which the page uses (docs/serving.md). Errors are {"error": text}. All but the page take
// languages that one model translates between: 400 for those that are translated through a third one.

/// GET /: the page.
void own_page(ApiCall& call);
/// POST /v1/score: confidence and alignment of the words of given translations.
void own_score(ApiCall& call);
/// POST /v1/alternatives: translations of a sentence that begin alike and differ in the next word.
void own_alternatives(ApiCall& call);
/// GET or POST /v1/explanation: the page of `gloss explain` for a sentence.
void own_explanation(ApiCall& call);

}  // namespace gloss
