#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "data/aligned_reader.h"
#include "data/corpus_writer.h"
#include "data/pair_verdict.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Options of encode_corpus.
struct EncodingOptions {
  std::int64_t max_length = 256;           ///< pieces and eos, either side; 0: no limit
  std::function<void()> before_pair = {};  ///< called before each pair is read; may throw to stop
  int threads = 1;                         ///< does not change the result
  /// Returns whether a pair is held out of training. It may be called on several threads. Held-out pairs are skipped.
  std::function<bool(std::string_view source, std::string_view target)> holds_out = {};
  PairFilters filters = {};           ///< skip_repeated has an effect by `repeated` only
  RepeatedPairs* repeated = nullptr;  ///< finds repetitions in the texts, which are skipped; null: none are
  /// Gets the links of each pair in use, as a pair of their ids in source and target; null: alignments are not read.
  CorpusWriter* links = nullptr;
};

/// Encodes aligned texts, one after the other, and adds the usable pairs to `writer` in the order of the lines. Reads
/// each text once, line by line. A side is pieces and eos. Memory does not grow with the texts. Returns a report on
/// each text. Throws DataError if the line counts of a text differ (with both numbers), if more than 1 % of its pairs
/// are not UTF-8, if none of its pairs is usable, or with the line of links that do not fit their pair; otherwise as
/// LineReader.
std::vector<CorpusReport> encode_corpus(std::span<const TextFiles> texts, const Tokenizer& source_tokenizer,
                                        const Tokenizer& target_tokenizer, const EncodingOptions& options,
                                        CorpusWriter& writer);

/// Encodes lines in memory: line i of `targets` is the translation of line i of `sources`.
CorpusReport encode_lines(std::span<const std::string> sources, std::span<const std::string> targets,
                          const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer, std::int64_t max_length,
                          CorpusWriter& writer);

}  // namespace gloss
