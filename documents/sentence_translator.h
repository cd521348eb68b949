#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/model/passage.h"

namespace gloss {

/// A sentence to translate.
struct SentenceRequest {
  std::string text;                   ///< one line
  std::vector<std::string> required;  ///< texts that the translation must contain, each once (constrained search)
};

/// The translation of a sentence.
struct SentenceTranslation {
  std::string text;
  std::vector<AlignedSpan> links;  ///< in bytes of both texts, ascending by target
  double log_probability = 0;      ///< sum over the tokens
  std::size_t tokens = 0;
  bool complete = true;       ///< false: the job was stopped first
  bool lacks_phrase = false;  ///< a phrase of the glossary is missing
};

/// Translates sentences: the part of a model that documents use. Tests have one written by hand.
class SentenceTranslator {
 public:
  virtual ~SentenceTranslator() = default;
  /// Returns a translation for each sentence, in order.
  virtual std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const = 0;
  /// Returns whether the model reads the sentence to its end.
  virtual bool fits(std::string_view sentence) const = 0;
  /// Returns whether the vocabulary spells the text, and gives it back unchanged.
  virtual bool can_spell(std::string_view text) const = 0;
  /// Returns the places of phrases that a glossary translates, ascending.
  virtual std::vector<TextSpan> phrases(std::string_view text) const = 0;
};

}  // namespace gloss
