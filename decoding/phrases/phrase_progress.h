#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// What a translation is to contain.
struct Phrase {
  std::string text;
  Ids ids;                    ///< one at least, and no special one
  bool ends_in_word = false;  ///< behind it no piece may go on with its last word
  bool in_words = true;       ///< the tokenizer's pieces say where its words begin
  /// The pieces of the source that it translates, source_begin to source_end - 1; none where that is not known.
  std::int64_t source_begin = 0, source_end = 0;

  bool knows_place() const { return source_begin < source_end; }
};

/// How far a target has come with the phrases that it is to contain, piece by piece. Each phrase has pieces of its own;
/// of phrases that begin alike the longest that is said counts. What is begun and broken off, or gone on with within
/// its last word, counts no longer, but what of its pieces begins another phrase does.
class PhraseProgress {
 public:
  /// `continues_word` [V]: 1 for the pieces that go on with the word before them. Both must outlive the progress.
  PhraseProgress(std::span<const Phrase> phrases, std::span<const std::uint8_t> continues_word);

  void say(Id id);

  /// Pieces that must be said yet; 0 where every phrase is met. A piece said makes it less by 1 at most.
  std::int64_t missing() const { return unmet_ - std::ssize(begun_); }
  /// The same as it would be after one more piece.
  std::int64_t missing_after(Id id) const;
  /// Whether one more piece would continue each phrase, or begin it; all that have the same pieces count alike.
  std::vector<bool> continued_by(Id id) const;
  /// The pieces, ascending, each of which would make it less; none where it is 0.
  Ids next() const;

 private:
  struct Said;

  Said after(Id id) const;
  bool is_met(std::size_t phrase, const Said& said) const;
  bool begins_unmet(const Said& said) const;
  void break_off(Said& said) const;

  std::span<const Phrase> phrases_;
  std::span<const std::uint8_t> goes_on_;
  std::vector<bool> met_;   ///< of `phrases_`
  std::int64_t unmet_ = 0;  ///< pieces of those that are not
  Ids begun_;               ///< the last pieces said, which begin a phrase that is not met, or are all of it
};

}  // namespace gloss
