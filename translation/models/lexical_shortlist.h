#pragma once

#include <filesystem>
#include <memory>

#include "model/shortlist.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Makes a shortlist of a lexical table in text form, as `gloss align --lexical-table` and Marian's extract_lex write
/// it: lines "target source probability" about pieces, in any order. If both languages share a tokenizer, each source
/// piece also proposes itself, as in Marian. Lines about NULL and other pieces do not count. Throws DataError for other
/// lines, and if no line has pieces of the tokenizers; also as TextLines.
std::shared_ptr<const Shortlist> read_lexical_shortlist(const std::filesystem::path& path, const Tokenizer& source,
                                                        const Tokenizer& target, const ShortlistSizes& sizes);

}  // namespace gloss
