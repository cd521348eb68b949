#pragma once

#include <string>

#include "common/config/json.h"
#include "evaluation/bleu/bleu.h"

namespace gloss {

/// Returns "BLEU = 95.12" and, on the next line, the signature.
std::string to_lines(const Bleu& bleu);

/// Returns an object with score (unrounded), signature, precisions and brevity_penalty.
Json to_json(const Bleu& bleu);

}  // namespace gloss
