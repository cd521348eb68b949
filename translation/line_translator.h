#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/scorer.h"
#include "model/encoder_decoder.h"
#include "tokenizer/tokenizer.h"
#include "translation/line_translation.h"
#include "translation/translation_request.h"

namespace gloss {

/// Translates lines of text: encodes, searches in batches of similar length, decodes, restores the order. Const and
/// shared between threads. Several models translate together if `scorer` is an EnsembleScorer.
///
///     const auto translations = translator.translate(lines, config);
///     print(translations[0].candidates[0].text);
class LineTranslator {
 public:
  /// `max_source_length` counts tokens, eos included. `aligner` returns the model whose attention alignments are read
  /// from. It is called when there is something to align; without it, requests for alignments are refused.
  LineTranslator(std::shared_ptr<const Scorer> scorer, std::shared_ptr<const Tokenizer> source,
                 std::shared_ptr<const Tokenizer> target, std::int64_t max_source_length,
                 std::function<EncoderDecoder()> aligner = nullptr);

  /// Returns one translation for each line, in order. Broken UTF-8 and NUL are read as U+FFFD. A search may continue
  /// the last word of a prefix. If a line is cut, phrases of the glossary count that end in the part that is read. On
  /// the CPU a translation depends on its line, its number and the options alone, bit for bit. Throws UsageError if
  /// `config` is invalid or the request has another number of prefixes than lines.
  std::vector<LineTranslation> translate(const TranslationRequest& request, const DecodingConfig& config,
                                         const TranslationHooks& hooks = {}) const;
  std::vector<LineTranslation> translate(std::span<const std::string> lines, const DecodingConfig& config,
                                         const TranslationHooks& hooks = {}) const {
    return translate(TranslationRequest{.lines = lines}, config, hooks);
  }

  /// A line as the model reads it.
  struct Source {
    PieceSpans pieces;       ///< of the whole line, without eos
    std::size_t length = 0;  ///< number of pieces that the model reads
    Ids ids;                 ///< these pieces and eos; empty for a line without pieces
    bool truncated = false;  ///< `length` is less than the number of pieces
  };
  Source encode_source(std::string_view line) const;

  const Scorer& scorer() const { return *scorer_; }
  const Tokenizer& target_tokenizer() const { return *target_; }
  bool can_align() const { return bool(aligner_); }
  EncoderDecoder aligner() const { return aligner_(); }                  ///< if can_align()
  std::int64_t max_source_length() const { return max_source_length_; }  ///< tokens, eos included

 private:
  std::shared_ptr<const Scorer> scorer_;
  std::shared_ptr<const Tokenizer> source_, target_;
  std::int64_t max_source_length_;
  std::function<EncoderDecoder()> aligner_;
};

}  // namespace gloss
