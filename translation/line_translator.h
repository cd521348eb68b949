#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/search.h"
#include "tokenizer/tokenizer.h"
#include "translation/glossary_phrases.h"

namespace gloss {

/// Lines of text in, lines of text out: encodes, sorts by length into batches, searches, decodes, restores the order.
class LineTranslator {
 public:
  struct Translation {
    struct Candidate {
      std::string text;
      Hypothesis hypothesis;
      bool lacks_phrase = false;  ///< the text has not all that the glossary wants
    };
    std::vector<Candidate> candidates;  ///< n_best, best first; one empty text for a line with nothing in it
    bool truncated = false;             ///< the source was cut at `max_source_length`
    bool leaves_out_phrases = false;    ///< the limit of length has no room for all that the glossary wants
  };

  LineTranslator(std::shared_ptr<const Scorer> scorer, std::shared_ptr<const Tokenizer> source,
                 std::shared_ptr<const Tokenizer> target, std::int64_t max_source_length);

  /// Some lines of an input.
  struct Input {
    std::span<const std::string> lines;
    std::span<const std::string> prefixes;      ///< what each translation begins with; empty: nothing is forced
    std::int64_t first = 0;                     ///< the number of the first line in the whole input, for sampling
    const GlossaryPhrases* glossary = nullptr;  ///< what translations must contain; null: nothing
  };

  /// One translation for each line, in order. Broken UTF-8 and NULs are read as U+FFFD. `before_step`, where there is
  /// one, is called before each batch and each of its steps and may throw to give up. The last word of a prefix may be
  /// gone on with. Of a line that is cut the glossary's phrases count that end in what is read of it.
  std::vector<Translation> translate(const Input& input, const DecodingConfig& config,
                                     const std::function<void()>& before_step = {}) const;
  std::vector<Translation> translate(std::span<const std::string> lines, const DecodingConfig& config,
                                     const std::function<void()>& before_step = {}) const {
    return translate(Input{lines, {}, 0}, config, before_step);
  }

  /// Pieces and eos of a line, cut to max_source_length; nothing for a line with nothing in it.
  struct Source {
    Ids ids;
    bool truncated = false;
  };
  Source encode_source(std::string_view line) const;

  const Scorer& scorer() const { return *scorer_; }
  const std::shared_ptr<const Scorer>& shared_scorer() const { return scorer_; }
  std::int64_t max_source_length() const { return max_source_length_; }  ///< tokens, eos included

 private:
  std::vector<Phrase> phrases_of(const GlossaryPhrases& glossary, const std::string& line, const Ids& source,
                                 bool truncated) const;

  std::shared_ptr<const Scorer> scorer_;
  std::shared_ptr<const Tokenizer> source_, target_;
  std::int64_t max_source_length_;
};

}  // namespace gloss
