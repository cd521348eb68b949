#include "serve/api/own_words.h"

#include <algorithm>
#include <vector>

#include "common/text/terminal_text.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {

bool begins_unspaced_word(std::string_view text, std::size_t offset) {
  constexpr auto kUnspaced = CharacterKind::kUnspaced;
  if (offset == 0 || offset >= text.size()) return false;
  const auto next = decode_utf8(text, offset).value.value_or(U' ');
  return columns_of(next) > 0 && (kind_of(next) == kUnspaced || last_kind(text.substr(0, offset)) == kUnspaced);
}

PieceSpans with_spaces(const PieceSpans& pieces) {
  std::vector<std::size_t> spaces;  // offsets before which they are inserted
  for (const auto& span : pieces.spans)
    if (span.begin < span.end && begins_unspaced_word(pieces.text, span.begin)) spaces.push_back(span.begin);
  auto result = pieces;
  result.text.clear();
  std::size_t at = 0;
  for (const auto space : spaces) {
    result.text.append(pieces.text, at, space - at) += ' ';
    at = space;
  }
  result.text.append(pieces.text, at);
  for (auto& [begin, end, of_next] : result.spans) {
    begin += static_cast<std::size_t>(std::ranges::upper_bound(spaces, begin) - spaces.begin());
    end += static_cast<std::size_t>(std::ranges::lower_bound(spaces, end) - spaces.begin());
    end = std::max(begin, end);
  }
  return result;
}

}  // namespace gloss
