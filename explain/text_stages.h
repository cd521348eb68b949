#pragma once

#include <string>

#include "common/config/json.h"
#include "explain/recorded_pass.h"
#include "model/model_config.h"
#include "model/part.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// An equation of the network as text, and the source files that compute it.
struct Formula {
  std::string text, file;
};

/// Returns the equation of a sublayer: attention with the scores of `config`, or feed-forward with its gate.
Formula sublayer_formula(const Part& sublayer, const ModelConfig& config);
/// Returns the equation of a layer: its residual connections and norms, or a recurrence.
Formula layer_formula(const Part& layer, const ModelConfig& config);
/// Returns the equation after the last layer of a stack.
Formula stack_formula(Part::Side side, const ModelConfig& config);

// Parts of the document of docs/explanation_format.md.

/// Returns every stage of a sentence from text to probabilities: name, shape, formula, source file that computes it,
/// and a few values. `target` includes eos if the translation ended.
Json text_stages(const PieceSpans& source, const SentenceIds& ids, const RecordedPass& pass, const ModelConfig& config,
                 const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer);

/// Returns the merges of byte pair encoding of each different word of the source, step by step; empty for another
/// tokenizer.
Json merge_steps(const PieceSpans& source, const Tokenizer& tokenizer);

}  // namespace gloss
