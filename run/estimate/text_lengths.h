#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/batch.h"
#include "run/config/run_config.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// Lengths of the sentences of a run, estimated before they are encoded.
struct TextLengths {
  /// A training text.
  struct Sample {
    std::vector<PairLengths> pairs = {};  ///< of its beginning if the text is long
    double texts_per_sample = 1;          ///< size of the text over that of the part that was read
  };

  std::vector<Sample> training = {};                ///< DataConfig::training_texts; empty samples of unreadable ones
  std::vector<std::int64_t> valid = {}, test = {};  ///< sources
  std::int64_t training_bytes = 0;                  ///< of all files of the training texts
  std::int64_t corpus_file = 0;                     ///< bytes of corpus.cache
  std::string unknown = {};                         ///< the reason if something above is missing, else empty

  /// Returns the sampled pairs of all training texts.
  std::vector<PairLengths> pairs() const;
};

/// Reads the beginning of each text and counts its pieces with the tokenizers. The beginning is 50,000 lines; several
/// training texts share this number, but at least 1,000 lines of each are read. If the tokenizers are not trained yet,
/// a piece counts as 1.5 to 4.8 bytes, by the size of the vocabulary, or as one character for tokenizer.type char.
/// Training pairs that do not fit data.max_length or that training skips by its filters are left out; repetitions are
/// found among the lines that are read. `unknown` reports a text that cannot be read.
TextLengths text_lengths(const RunConfig& config, const TokenizerPair& tokenizers);

/// Returns the factor by which data.subword_sampling lengthens a sentence, as measured on English and German: 1.4 at
/// 0.1 for bpe, 2 at 0.1 and 1.3 at 0.2 for unigram.
double growth_by_sampling(const RunConfig& config);

}  // namespace gloss
