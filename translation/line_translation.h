#pragma once

#include <string>
#include <vector>

#include "common/special_ids.h"
#include "tokenizer/piece_spans.h"
#include "translation/translation_flags.h"
#include "translation/word_alignment.h"

namespace gloss {

/// The translation of one line: the only result type of program and library. (The public interface has a struct
/// `Translation` of its own, which the library fills from this one.)
struct LineTranslation {
  enum class Status {
    kComplete,
    kDeadline,     ///< the deadline passed first: no candidates
    kCanceled,     ///< the caller canceled first: no candidates
    kOutOfMemory,  ///< memory does not suffice even for this line alone: no candidates
  };

  struct Token {
    std::string piece;  ///< as the tokenizer spells it; "</s>" for the end of the sentence
    /// Natural logarithm of the token's probability given the source and the tokens before it. From the search; the
    /// model's own, without the repetition penalty, if DetailOptions::confidence is set.
    double log_probability = 0;
    PieceSpans::Span span;  ///< bytes of the candidate's text; all 0 unless Candidate::spans_known
  };

  struct Word {
    std::string text;
    /// Probability of the word given everything before it: the product over the pieces that have bytes of the word or
    /// of the space before it.
    double confidence = 0;
  };

  /// One of the n best translations. (The `Candidate` of decoding/ is a continuation by one token.)
  struct Candidate {
    std::string text;
    double score = 0;  ///< log_probability after the penalties of length, coverage and glossary
    /// Sum over the tokens, as the search computed it. With a repetition penalty and DetailOptions::confidence,
    /// `tokens` do not sum to it.
    double log_probability = 0;
    bool ended = false;         ///< by the end of the sentence, not by the length limit
    bool lacks_phrase = false;  ///< a phrase of the glossary is missing
    /// False: the tokenizer rewrites the text after joining its pieces. replace_unknown then has no effect.
    bool spans_known = true;
    /// The end of the sentence included if `ended`, without the language tag that the search began with.
    std::vector<Token> tokens;
    std::vector<Word> words;          ///< of `text`, if DetailOptions::confidence is set; empty unless `spans_known`
    std::vector<WordLink> alignment;  ///< if DetailOptions::alignment is set; empty unless `spans_known`
    std::vector<PieceLink> links;     ///< of each piece, tags and eos excluded, if DetailOptions::alignment is set
    TranslationFlags flags;           ///< if DetailOptions::confidence is set

    /// Returns `ended`, or true for an empty translation.
    bool ended_or_empty() const { return ended || tokens.empty(); }
  };

  Status status = Status::kComplete;
  bool truncated = false;             ///< the source was cut to the length that the model reads
  bool leaves_out_phrases = false;    ///< the length limit leaves no room for every phrase of the glossary
  PieceSpans source;                  ///< the part of the line that the model reads, tags included, without eos
  std::vector<Candidate> candidates;  ///< n_best, best first; one empty candidate for a line without pieces

  bool complete() const { return status == Status::kComplete; }
  /// Returns whether the source has pieces that the vocabulary lacks.
  bool has_unknown_source() const { return has_unknown(source.ids); }
};

}  // namespace gloss
