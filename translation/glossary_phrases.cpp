#include "translation/glossary_phrases.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/space_mark.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

std::vector<std::uint8_t> continuing_pieces(const Tokenizer& tokenizer) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(tokenizer.vocabulary_size()));
  result[kPad] = result[kBos] = 1;  // without text: the word may continue after them
  for (Id id = kSpecialIds; id < std::ssize(result); ++id) {
    const auto piece = tokenizer.piece(id);
    const bool is_byte = piece.starts_with("<0x");  // a byte of any character
    result[id] = is_byte || (!piece.starts_with(kSpaceMark) && first_kind(piece) == CharacterKind::kWord);
  }
  return result;
}

/// Returns the pieces of a text after a comma, without a space between; empty if they merge with the comma.
Ids encode_without_space(const std::string& text, const Tokenizer& tokenizer) {
  const auto comma = tokenizer.encode(","), both = tokenizer.encode("," + text);
  if (both.size() <= comma.size() || !std::equal(comma.begin(), comma.end(), both.begin())) return {};
  return {both.begin() + std::ssize(comma), both.end()};
}

Phrase encode(const std::string& text, const Tokenizer& tokenizer, const std::vector<std::uint8_t>& continues_word) {
  Phrase phrase{text, {}, false};
  if (first_kind(text) == CharacterKind::kUnspaced) phrase.ids = encode_without_space(text, tokenizer);
  if (phrase.ids.empty() || tokenizer.decode(phrase.ids) != text) phrase.ids = tokenizer.encode(text);
  // If even the first piece of a phrase continues a word, pieces do not mark where words begin.
  phrase.has_word_marks = !phrase.ids.empty() && !continues_word[phrase.ids.front()];
  phrase.ends_in_word = phrase.has_word_marks && last_kind(text) == CharacterKind::kWord;
  return phrase;
}

/// Returns whether attention to a source phrase of `pieces` pieces, in a line of `all`, shows where its
/// translation stands. It does not if the phrase is most of the line or far longer than its translation, since other
/// words attend to it, too.
bool attention_shows_translation(std::int64_t pieces, std::int64_t all, const Phrase& phrase) {
  return 2 * pieces <= all + 1 && pieces <= 2 * std::ssize(phrase.ids) + 1;
}

/// An occurrence of a phrase in a text.
struct Match {
  std::size_t begin = 0;
  std::string_view phrase;
};

/// Adds the occurrences as whole words, or all occurrences if pieces do not mark words.
void add_matches(std::string_view text, const Phrase& phrase, std::vector<Match>& matches) {
  for (auto begin = text.find(phrase.text); begin != text.npos; begin = text.find(phrase.text, begin + 1))
    if (!phrase.has_word_marks || (is_word_boundary(text, begin) && is_word_boundary(text, begin + phrase.text.size())))
      matches.push_back({begin, phrase.text});
}

}  // namespace

GlossaryPhrases::GlossaryPhrases(Glossary glossary, const Tokenizer& tokenizer)
    : glossary_(std::move(glossary)), continues_word_(continuing_pieces(tokenizer)) {
  const auto& target = tokenizer.untagged();
  for (const auto& entry : glossary_.entries()) {
    const auto& phrase = phrases_.emplace_back(encode(entry.target, target, continues_word_));
    const auto decoded = target.decode(phrase.ids);
    if (has_unknown(phrase.ids) || decoded != entry.target)
      throw DataError(glossary_.where(entry.number) + "wanted a phrase that this model can generate, got \"" +
                      printable(entry.target, 80) + "\", which it would generate as \"" + printable(decoded, 80) +
                      "\"; write it so or leave it out");
  }
}

std::vector<Phrase> GlossaryPhrases::phrases_for(const PieceSpans& source, std::size_t end) const {
  std::vector<Phrase> result;
  const auto& spans = source.spans;
  for (const auto& occurrence : glossary_.find(source.text, end)) {
    auto& phrase = result.emplace_back(phrases_[occurrence.entry]);
    const auto first = std::ranges::find_if(spans, [&](const auto& piece) { return piece.end > occurrence.begin; });
    const auto last =
        std::ranges::find_if(first, spans.end(), [&](const auto& piece) { return piece.begin >= occurrence.end; });
    const auto pieces = last - first;
    const auto all = std::ssize(spans) - static_cast<std::int64_t>(source.tags);
    if (!attention_shows_translation(pieces, all, phrase)) continue;
    phrase.source_begin = first - spans.begin();
    phrase.source_end = phrase.source_begin + pieces;
  }
  return result;
}

bool has_all(std::string_view text, std::span<const Phrase> phrases) {
  std::map<std::string_view, std::int64_t> missing;
  std::vector<Match> matches;
  for (const auto& phrase : phrases)
    if (missing[phrase.text]++ == 0) add_matches(text, phrase, matches);
  std::ranges::sort(matches, {}, [](const Match& match) { return std::pair(match.begin, -std::ssize(match.phrase)); });
  std::size_t taken = 0;  // the text up to here is used, or precedes all that is left
  for (const auto& [begin, phrase] : matches) {
    auto& left = missing.at(phrase);
    if (begin < taken || left == 0) continue;
    --left;
    taken = begin + phrase.size();
  }
  return std::ranges::all_of(missing, [](const auto& left) { return left.second == 0; });
}

}  // namespace gloss
