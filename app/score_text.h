#pragma once

#include <map>
#include <string>

#include "common/json.h"
#include "evaluation/bleu.h"
#include "evaluation/bleu_by_group.h"

namespace gloss {

/// A line for each group: its name, lines and score.
std::string to_lines(const std::map<std::string, GroupBleu>& groups);

/// "BLEU = 95.12" and the signature on the line after it.
std::string to_lines(const Bleu& bleu);

/// score (unrounded), signature, precisions and brevity_penalty.
Json to_json(const Bleu& bleu);
/// The same by group, and the number of lines.
Json to_json(const std::map<std::string, GroupBleu>& groups);

}  // namespace gloss
