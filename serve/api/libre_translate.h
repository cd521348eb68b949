#pragma once

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

}  // namespace gloss
