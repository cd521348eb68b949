#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "data/corpus_report.h"
#include "data/corpus_writer.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Two texts whose lines of equal number belong together, and their tokenizers.
struct AlignedTexts {
  std::filesystem::path source, target;
  const Tokenizer* source_tokenizer;
  const Tokenizer* target_tokenizer;
};

struct EncodingOptions {
  std::int64_t max_length = 256;           ///< pieces and eos, either side; 0: no limit
  std::function<void()> before_pair = {};  ///< called before each pair is read; may throw to give up
  int threads = 1;                         ///< the result is the same for any number
  /// True for a pair that is left out because it is held out of training; may be called on several threads.
  std::function<bool(std::string_view source, std::string_view target)> holds_out = {};
};

/// Reads both texts once, line by line, and adds the pairs that can be used, pieces and eos, to `writer` in the order
/// of the lines. Memory does not grow with the texts. Throws DataError: line counts differ (both are stated), more than
/// 1 % of the lines are not UTF-8, nothing is left; and for what is no text file, as LineReader.
CorpusReport encode_corpus(const AlignedTexts& texts, const EncodingOptions& options, CorpusWriter& writer);

/// Encodes lines in memory: line i of `targets` is the translation of line i of `sources`.
CorpusReport encode_lines(std::span<const std::string> sources, std::span<const std::string> targets,
                          const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer, std::int64_t max_length,
                          CorpusWriter& writer);

}  // namespace gloss
