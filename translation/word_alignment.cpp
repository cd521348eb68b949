#include "translation/word_alignment.h"

#include <algorithm>
#include <string_view>

#include "common/text/split.h"

namespace gloss {
namespace {

constexpr std::string_view kPunctuation = ".,;:!?\"'()[]{}";

std::string_view without_ends(std::string_view text, std::string_view ends) {
  const auto begin = text.find_first_not_of(ends);
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(ends) - begin + 1);
}

/// Returns the replacement of an unknown piece that is linked to piece `link` of the source. A piece that is only a
/// space stands for the word that it begins.
std::string_view replacement_of(const PieceSpans& source, const PieceWords& words, std::int64_t link) {
  if (link < 0) return {};
  auto piece = static_cast<std::size_t>(link);
  while (piece + 1 < source.ids.size() && words.of_piece[piece].begin == words.of_piece[piece].end) ++piece;
  if (source.ids[piece] == kUnk) return without_ends(source.text_of(piece), kAsciiSpace);
  const auto [begin, end] = words.of_piece[piece];
  if (begin == end) return {};
  const std::string_view word = words.words[begin];
  const auto bare = without_ends(word, kPunctuation);
  return bare.empty() ? word : bare;
}

}  // namespace

std::vector<WordLink> word_links(const PieceWords& source, const PieceWords& target, std::span<const PieceLink> links) {
  std::vector<WordLink> result;
  for (std::size_t piece = 0; piece < links.size(); ++piece) {
    if (links[piece].source < 0 || links[piece].to_end) continue;
    const auto from = source.of_piece[static_cast<std::size_t>(links[piece].source)];
    const auto to = target.of_piece[piece];
    for (auto s = from.begin; s < from.end; ++s)
      for (auto t = to.begin; t < to.end; ++t)
        result.push_back({static_cast<std::int64_t>(s), static_cast<std::int64_t>(t)});
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

PieceSpans replace_unknown(const PieceSpans& source, const PieceWords& words, const PieceSpans& target,
                           std::span<const PieceLink> links) {
  return replace_unknown(target, [&](std::size_t piece) { return replacement_of(source, words, links[piece].source); });
}

PieceSpans replace_unknown(const PieceSpans& target,
                           const std::function<std::string_view(std::size_t piece)>& replacement) {
  PieceSpans result{.text = {}, .ids = target.ids, .spans = {}, .tags = target.tags};
  for (std::size_t piece = 0; piece < target.ids.size(); ++piece) {
    const auto begin = result.text.size();
    const auto in_place = target.ids[piece] == kUnk ? replacement(piece) : std::string_view();
    result.text += in_place.empty() ? target.text_of(piece) : in_place;
    result.spans.push_back({begin, result.text.size(), target.spans[piece].of_next});
  }
  return result;
}

}  // namespace gloss
