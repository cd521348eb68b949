#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/models/translation_model.h"
#include "translation/alignment.h"
#include "translation/line_translator.h"
#include "translation/translation_flags.h"
#include "translation/word_alignment.h"

namespace gloss {

/// What is to be found out about translations beside their text.
struct DetailsWanted {
  bool confidence = false;            ///< what each token and word adds, and the flags
  bool alignment = false;             ///< by words
  bool replace_unknown = false;       ///< what was said as unk takes its text from the source
  AttentionSite alignment_from = {};  ///< for the two above
};

/// A translation with what was found out about it.
struct DetailedTranslation {
  struct Token {
    std::string piece;           ///< as the tokenizer spells it; "</s>" for the eos
    double log_probability = 0;  ///< the model's own; what a search found, but for its repetition penalty
  };
  struct Word {
    std::string text;
    /// The probability of all pieces that have a part in it and of the space before it: of the word, given what is
    /// before.
    double confidence = 0;
  };
  struct Candidate {
    std::string text;
    Hypothesis hypothesis = {};
    std::vector<Token> tokens = {};
    std::vector<Word> words = {};          ///< of `text`; none where the tokenizer cannot place its pieces in it
    std::vector<WordLink> alignment = {};  ///< the same
    TranslationFlags flags = {};
    bool lacks_phrase = false;  ///< it has not every phrase of the glossary

    bool ended() const { return hypothesis.ended || hypothesis.ids.empty(); }
  };
  std::vector<Candidate> candidates;  ///< as LineTranslator::Translation has them
  bool truncated = false;             ///< the source was cut to what the model reads
  bool leaves_out_phrases = false;    ///< the limit of length has no room for every phrase of the glossary
  bool unknown = false;  ///< the source has pieces that the vocabulary has not; known where anything is wanted
};

/// Finds out about translations. Computes nothing where nothing is wanted.
class TranslationDetails {
 public:
  /// `aligner` is the model whose attention is looked at and whose tokenizers the translator has; `translator` is that
  /// which translates. Both must outlive this.
  TranslationDetails(const TranslationModel& aligner, const LineTranslator& translator, const DetailsWanted& wanted,
                     std::int64_t batch_size)
      : aligner_(&aligner), translator_(&translator), wanted_(wanted), batch_size_(batch_size) {}

  /// Of the translations of `lines`. On a CPU what is said of a line depends on that line alone, bit for bit.
  std::vector<DetailedTranslation> of(std::span<const std::string> lines,
                                      std::vector<LineTranslator::Translation> translations) const;

 private:
  struct Source;
  struct Found;

  Source read(const std::string& line) const;
  void find_tokens(std::vector<Found>& found) const;
  void find_links(std::vector<Found>& found) const;
  void describe(const Found& found, bool truncated) const;

  const TranslationModel* aligner_;
  const LineTranslator* translator_;
  DetailsWanted wanted_;
  std::int64_t batch_size_;
};

}  // namespace gloss
