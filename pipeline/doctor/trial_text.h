#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/models/translation_model.h"
#include "pipeline/run/run_config.h"

namespace gloss {

/// Pieces and eos of the two sides of a pair.
struct PairLengths {
  std::int64_t source = 0, target = 0;

  std::int64_t longer() const { return source > target ? source : target; }
};

/// Lengths of the sentences of a run, before there are ids.
struct TextLengths {
  std::vector<PairLengths> pairs = {};              ///< of the training text, its beginning where it is long
  std::vector<std::int64_t> valid = {}, test = {};  ///< sources
  std::int64_t training_bytes = 0;                  ///< of both files
  std::int64_t corpus_file = 0;                     ///< bytes of corpus.cache
  std::string unknown = {};                         ///< why something above is missing; empty where nothing is missing
  double texts_per_sample = 1;                      ///< the training text's size over that of the part that was read
};

/// Reads the first 50,000 lines of each text and counts pieces by the tokenizers or, where they are yet to be trained,
/// takes 2.5 to 4.8 bytes for a piece by the size of the vocabulary (one character where those are the pieces). Pairs
/// that do not fit data.max_length are left out. `unknown` reports a text that cannot be read.
TextLengths text_lengths(const RunConfig& config, const TokenizerPair& tokenizers);

/// The pairs in batches as training forms them: by length, at most `batch_tokens` positions of the longer side.
std::vector<std::vector<PairLengths>> batches_of(std::vector<PairLengths> pairs, std::int64_t batch_tokens);

/// The factor by which data.subword_sampling lengthens a sentence, as measured on English and German: 1.4 at 0.1 for
/// bpe, 2 at 0.1 and 1.3 at 0.2 for unigram.
double growth_by_sampling(const RunConfig& config);

}  // namespace gloss
