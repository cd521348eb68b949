#pragma once

#include "serve/api/api_context.h"

namespace gloss {

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
