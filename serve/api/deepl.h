#pragma once

#include "serve/api/api_context.h"

namespace gloss {

// The routes of DeepL's interface, version 2 (docs/serving_deepl.md). Errors are {"message": text}.

/// GET, POST /v2/translate: up to 50 texts, plain, HTML or XML.
void deepl_translate(ApiCall& call);
/// GET, POST /v2/usage: the characters of the key.
void deepl_usage(ApiCall& call);

/// Throws ApiError 400 for fields that would change a translation, and that no model here follows.
void expect_possible_fields(const RequestFields& fields);

}  // namespace gloss
