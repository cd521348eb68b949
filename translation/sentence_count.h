#pragma once

#include <cstdint>
#include <string_view>

namespace gloss {

/// Number of sentences that a text has at least. A sentence ends with one of . ! ? … and what closes it, where white
/// space and an upper-case letter follow (or a letter of a script without cases), or with a mark that stands for a full
/// stop in another script (。 । ۔). A period after an abbreviation, an initial or a number ends none. 0 for a text
/// without letters and digits. `text` is UTF-8.
///
///     min_sentences("Dr. Smith sleeps. His dog runs.")  // 2
std::int64_t min_sentences(std::string_view text);

/// Number of sentences that a text has at most: every mark that may end one counts. 0 where there is no such mark.
std::int64_t max_sentences(std::string_view text);

/// Whether `target` lacks sentences of `source`: three or more became at most half as many. A model trained on single
/// sentences translates the first ones of a paragraph and drops the rest. A target without any mark is not judged,
/// since there are scripts without.
bool has_fewer_sentences(std::string_view source, std::string_view target);

}  // namespace gloss
