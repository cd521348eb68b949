#pragma once

#include <cstdint>
#include <string_view>

namespace gloss {

/// Returns the minimum number of sentences of a text: those of the rule splitter without a language. Returns 0 for a
/// text without letters and digits. `text` is UTF-8.
///
///     min_sentences("Dr. Smith sleeps. His dog runs.")  // 2
std::int64_t min_sentences(std::string_view text);

/// Returns the maximum number of sentences of a text: every mark that may end one counts. Returns 0 for a text without
/// any mark.
std::int64_t max_sentences(std::string_view text);

/// Returns whether a source of several sentences has a translation with fewer. The source is counted by min_sentences,
/// the target by max_sentences, so the answer errs towards false. Returns false for a target without any mark, since
/// some scripts have no such marks. Two sentences may well become one: that counts only if `length_ratio`, the number
/// of pieces of the target for each of the source, is below 0.75. A model trained on single sentences often drops the
/// rest of a line. Both texts are UTF-8.
bool has_fewer_sentences(std::string_view source, std::string_view target, double length_ratio);

/// Returns whether `text` has at least three sentences and `other` at most half as many, counted as above. Human
/// translations often merge two sentences, seldom three.
bool lacks_most_sentences(std::string_view text, std::string_view other);

}  // namespace gloss
