#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/decoding_config.h"
#include "decoding/scorer.h"
#include "decoding/search.h"
#include "tokenizer/tokenizer.h"
#include "translation/line_translation.h"
#include "translation/translation_request.h"

namespace gloss {

/// The attention that alignments are read from.
struct Aligner {
  std::shared_ptr<const Scorer> scorer = nullptr;  ///< the only one, or an ensemble's first; null: there is none
  AttentionSite default_site = {};                 ///< used if DetailOptions::alignment_from is empty
};

class TranslationRunner;

/// Returns the translation of a line that is not searched because it has neither letters nor digits: the line itself.
/// Absent for other lines. `text` is the line as the model reads it.
std::optional<std::string> copied_line(std::string_view text);

/// Translates lines of text: tokenizes, searches in batches, detokenizes, returns results in the order of the lines.
/// Thread-safe: every function is const. For an ensemble pass an EnsembleScorer.
///
///     const auto translations = translator.translate(lines, config);
///     print(translations[0].candidates[0].text);
class LineTranslator {
 public:
  /// `max_source_length` counts tokens, eos included. Without a scorer in `aligner`, translate refuses details that
  /// need attention.
  LineTranslator(std::shared_ptr<const Scorer> scorer, std::shared_ptr<const Tokenizer> source,
                 std::shared_ptr<const Tokenizer> target, std::int64_t max_source_length, Aligner aligner = {});

  /// Returns one translation for each line, in order. Broken UTF-8 and NUL are read as U+FFFD, invisible characters are
  /// removed (visible_text.h). Lines without letters and digits, and those that are a source phrase of the glossary,
  /// are not searched, unless they have a prefix: their only candidate is the line itself or the target phrase, without
  /// tokens. A search may continue the last word of a prefix. If a line is truncated, only glossary phrases inside the
  /// part that is read are required. On the CPU a translation depends on its line, its number and the options alone,
  /// bit for bit. Texts of translations have spaces in place of line ends and separators (on_one_line).
  ///
  /// Throws UsageError if `config` is invalid, if the request has another number of prefixes than lines, for phrases
  /// with sampling, and for details that need attention without an aligner or from a model without any. Throws the
  /// search's ModelError and, unless halve_when_out_of_memory is set, exceptions that mean out of memory
  /// (tensor/out_of_memory.h).
  std::vector<LineTranslation> translate(const TranslationRequest& request, const DecodingConfig& config,
                                         const TranslationHooks& hooks = {}) const;
  std::vector<LineTranslation> translate(std::span<const std::string> lines, const DecodingConfig& config,
                                         const TranslationHooks& hooks = {}) const {
    return translate(TranslationRequest{.lines = lines}, config, hooks);
  }

  /// Returns this translator with threads that last as long as it and its copies: `workers` on the CPU. Before, and on
  /// another device, the calling thread translates alone.
  LineTranslator with_workers(std::int64_t workers) const;
  /// Does the same with the threads of a runner that other translators use, too.
  LineTranslator with_runner(std::shared_ptr<TranslationRunner> runner) const;
  /// Returns this translator with other tokenizers of the same vocabularies, which may add other language tags.
  LineTranslator with_tokenizers(std::shared_ptr<const Tokenizer> source,
                                 std::shared_ptr<const Tokenizer> target) const;

  /// A line as the model reads it. A language tag of the source tokenizer is its first piece.
  struct Source {
    PieceSpans pieces;       ///< of the whole line, without eos
    std::size_t length = 0;  ///< number of pieces that the model reads
    Ids ids;                 ///< these pieces and eos (Tokenizer::has_source_eos); empty for a line without pieces
    bool truncated = false;  ///< `length` is less than the number of pieces
  };
  Source encode_source(std::string_view line) const;
  /// Returns the tokens of a translation, or of its beginning, without eos: the language tag of the target tokenizer,
  /// if there is one, and the pieces.
  Ids encode_target(std::string_view text) const;
  /// Returns the number of tags in front of the pieces of each translation, 0 or 1. They are given: the search begins
  /// with them, their log-probability is 0, and translations lack them. They count as tokens in limits and penalties of
  /// length.
  std::size_t target_tags() const { return target_->tag() ? 1 : 0; }
  /// Returns the inputs of a search of one sentence, which begins with these tags.
  SearchInputs search_inputs() const;

  TranslationRunner& runner() const { return *runner_; }
  const Scorer& scorer() const { return *scorer_; }
  const Tokenizer& target_tokenizer() const { return *target_; }
  const Aligner& aligner() const { return aligner_; }
  bool can_align() const { return bool(aligner_.scorer); }
  std::int64_t max_source_length() const { return max_source_length_; }  ///< tokens, eos included

 private:
  std::shared_ptr<const Scorer> scorer_;
  std::shared_ptr<const Tokenizer> source_, target_;
  std::int64_t max_source_length_;
  Aligner aligner_;
  std::shared_ptr<TranslationRunner> runner_;
};

}  // namespace gloss
