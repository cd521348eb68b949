#pragma once

#include "common/config/json.h"
#include "explain/recorded_pass.h"
#include "model/model_config.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// Returns every stage of a sentence from text to probabilities: name, shape, formula, source file that computes it,
/// and a few values. `target` includes eos if the translation ended.
Json text_stages(const PieceSpans& source, const SentenceIds& ids, const RecordedPass& pass, const ModelConfig& config,
                 const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer);

/// Returns the merges of byte pair encoding of each different word of the source, step by step; empty for another
/// tokenizer.
Json merge_steps(const PieceSpans& source, const Tokenizer& tokenizer);

}  // namespace gloss
