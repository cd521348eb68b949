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

namespace gloss {

/// Details of candidates that cost time beyond the search.
struct DetailOptions {
  bool confidence = false;            ///< log-probabilities of tokens, confidence of words, flags
  bool alignment = false;             ///< links between words
  bool replace_unknown = false;       ///< unknown pieces take their text from the source
  AttentionSite alignment_from = {};  ///< the attention that the two above are read from
  bool plain = false;                 ///< read it from plain passes (Pass::plain)

  bool needs_attention() const { return alignment || replace_unknown; }
};

/// Lines to translate.
struct TranslationRequest {
  std::span<const std::string> lines;
  std::span<const std::string> prefixes = {};  ///< the beginning of each translation; empty: none is forced
  std::int64_t first_index = 0;                ///< index of the first line in the whole input, for sampling
  const GlossaryPhrases* glossary = nullptr;   ///< phrases that translations must contain; may be null
  DetailOptions details = {};
  /// Batches are computed side by side by this many threads. 1: one after the other, each on all threads of LibTorch.
  std::int64_t workers = 1;
};

/// Callbacks and limits of one call. Each may be empty. An exception of a callback leaves the call. With several
/// workers they are called on their threads, one at a time, for several batches by turns.
struct TranslationHooks {
  /// A token of a greedy search.
  struct Token {
    std::size_t line = 0;        ///< index into the lines of the request
    std::string piece;           ///< as the tokenizer spells it; empty if `is_last`
    std::string text;            ///< the translation so far, unknown pieces not replaced
    double log_probability = 0;  ///< of this token
    bool is_last = false;        ///< the line's last event
  };

  std::function<void()> before_batch = {};  ///< before each batch of sentences
  std::function<void()> before_step = {};   ///< before each step of the model
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};
  std::function<bool(const Token&)> on_token = {};  ///< greedy search without glossary only; false cancels the call
  /// If memory runs out, the lines that are left are searched in halves, and a line that fails alone has the status
  /// kOutOfMemory. Otherwise the exception leaves the call. Not together with on_token, which would see tokens twice.
  bool halve_when_out_of_memory = false;
};

}  // namespace gloss
