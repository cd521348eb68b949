#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "common/sentences/abbreviations.h"

namespace gloss {

/// The words of one language, or of all, ready for look-ups.
class SentenceWords {
 public:
  /// Language: BCP 47. A language without a list has the words of all languages that are marked as unambiguous.
  explicit SentenceWords(std::string_view language);

  /// The text around a period.
  struct Period {
    std::u32string_view before;    ///< ends with the word before it; at most some words
    std::u32string_view after;     ///< begins with the next word; at most some words
    bool first_word = false;       ///< the word before it is the first of its sentence, or stands after a colon
    bool within_brackets = false;  ///< a closing bracket follows it
  };
  /// Returns whether a period ends a sentence. A letter or digit follows, and no lower-case letter.
  bool ends_sentence(const Period& period) const;

  /// Returns whether a text begins with a word that has a capital at the start of a sentence only.
  bool starts_sentence(std::u32string_view text) const;
  /// Returns whether a text begins with a name and a verb that reports a quotation: "Peter said".
  bool reports(std::u32string_view text) const;

 private:
  enum class Class { kOrdinary, kNever, kBeforeNumber, kBeforeName, kEnds };

  void add(const LanguageWords& words, bool own);
  Class class_of(std::u32string_view word) const;
  Class class_at_end(std::u32string_view text, std::u32string_view word) const;
  bool ends_after_number(const Period& period, std::u32string_view word) const;

  std::unordered_map<std::u32string, Class> abbreviations_;
  std::unordered_set<std::u32string> starters_, labels_, objects_, reporting_;
  bool number_ordinals_ = false, roman_ordinals_ = false, vowelless_words_ = false;
};

}  // namespace gloss
