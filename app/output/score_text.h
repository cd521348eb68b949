#pragma once

#include <string>

#include "common/config/json.h"
#include "evaluation/bleu/bleu.h"

namespace gloss {

/// "BLEU = 95.12" and the signature on the line after it.
std::string to_lines(const Bleu& bleu);

/// score (unrounded), signature, precisions and brevity_penalty.
Json to_json(const Bleu& bleu);

}  // namespace gloss
