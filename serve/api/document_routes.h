#pragma once

#include <string>
#include <vector>

#include "serve/api/api_context.h"

namespace gloss {

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

}  // namespace gloss
