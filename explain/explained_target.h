#pragma once

#include <set>

#include <ATen/core/Tensor.h>

#include "common/config/json.h"
#include "common/special_ids.h"
#include "decoding/search.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// Returns the ids of a translation, with eos if it ended.
Ids target_ids(const Hypothesis& hypothesis);

/// Returns the pieces of a text as `{"piece", "id", "begin", "end"}`. `ids` are those of `text`, and eos at its end.
Json pieces_json(const Ids& ids, const PieceSpans& text, const Tokenizer& tokenizer);

/// Returns the text of a translation, its pieces and its score.
Json target_json(const Hypothesis& hypothesis, const Tokenizer& tokenizer);

/// Adds to each piece of target_json() its log-probability, from the logits [T, V] of a pass. The first `tags` pieces,
/// which are given, get 0. Returns the sum.
double add_log_probabilities(const at::Tensor& logits, std::size_t tags, Json& target);

/// Returns the piece of each id.
Json piece_names(const std::set<Id>& ids, const Tokenizer& tokenizer);

}  // namespace gloss
