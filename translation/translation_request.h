#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "translation/alignment.h"
#include "translation/glossary_phrases.h"
#include "translation/line_translation.h"

namespace gloss {

/// Details of candidates that cost time beyond the search.
struct DetailOptions {
  bool confidence = false;                           ///< log-probabilities of tokens, confidence of words, flags
  bool alignment = false;                            ///< links between words
  bool replace_unknown = false;                      ///< unknown pieces take their text from the source
  std::optional<AttentionSite> alignment_from = {};  ///< for the two above; empty: default_attention_site

  bool needs_attention() const { return alignment || replace_unknown; }
  bool operator==(const DetailOptions&) const = default;
};

/// Lines to translate.
struct TranslationRequest {
  std::span<const std::string> lines;
  std::span<const std::string> prefixes = {};  ///< the beginning of each translation; empty: no beginning is forced
  std::int64_t first_index = 0;                ///< index of the first line in the whole input, for sampling
  /// Phrases that translations must contain; may be null. If attention can show where a phrase is translated, the
  /// search of its line begins with a greedy search and a pass with attention (search.h).
  const GlossaryPhrases* glossary = nullptr;
  DetailOptions details = {};
};

/// Callbacks and limits of one call. Each may be empty. on_token and on_result run on the thread that waits for the
/// call; the others on the threads that translate, one at a time, and calls for different batches alternate. Callbacks
/// may translate again.
///
/// To keep the lines found so far, use deadline or stop. An exception of a callback leaves translate and discards all
/// results of the call.
struct TranslationHooks {
  /// A token of a line's best translation, or the end of a line.
  struct TokenEvent {
    std::size_t line = 0;  ///< index into the lines of the request
    std::string piece;     ///< as the tokenizer spells it; empty if `is_last`
    /// The translation so far, unknown pieces not replaced, up to the last complete character: the text of an event
    /// begins with that of the one before, unless the tokenizer rewrites texts.
    std::string text;
    /// Of this token. If `is_last`: of eos, or 0 if the length limit ended the line.
    double log_probability = 0;
    bool is_last = false;  ///< the line's last event; an empty line has no event
  };

  std::function<void(std::int64_t lines)> before_batch = {};  ///< before each batch, with its number of lines
  /// Before each step of the model and each pass for details, which may run on other threads; one call at a time.
  std::function<void()> before_step = {};
  /// The deadline and `stop` are checked before each line, batch, step and pass for details. A line whose search is
  /// done is complete unless its details still need a pass.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};  ///< see `deadline`
  /// Receives tokens as soon as they are certain (SearchHooks::on_token); false cancels the call. Not together with
  /// halve_when_out_of_memory, which may search a line twice.
  std::function<bool(const TokenEvent&)> on_token = {};
  /// Receives each line as soon as it is complete, in the order of completion, or given up for lack of memory; false
  /// cancels the call.
  std::function<bool(std::size_t line, const LineTranslation& translation)> on_result = {};
  /// If memory runs out, lines that were found are kept, the others are searched in halves, and a line that fails alone
  /// has the status kOutOfMemory. Otherwise the exception leaves the call.
  bool halve_when_out_of_memory = false;
};

}  // namespace gloss
