#include "translation/glossary_phrases.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/visible_text.h"
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

/// Splits the target of an entry at each `|`. Returns the whole target if a part is empty.
std::vector<std::string> alternatives_of(const std::string& target) {
  std::vector<std::string> result;
  for (const auto part : split_text(target, '|')) {
    const auto first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    if (first == part.npos) return {target};
    result.emplace_back(part.substr(first, last - first + 1));
  }
  return result;
}

/// An occurrence of a phrase in a text.
struct Match {
  std::size_t begin = 0;
  const Phrase* phrase = nullptr;
};

/// Adds the occurrences as whole words, or all occurrences if pieces do not mark words.
void add_matches(std::string_view text, const Phrase& phrase, std::vector<Match>& matches) {
  for (auto begin = text.find(phrase.text); begin != text.npos; begin = text.find(phrase.text, begin + 1))
    if (!phrase.has_word_marks || (is_word_boundary(text, begin) && is_word_boundary(text, begin + phrase.text.size())))
      matches.push_back({begin, &phrase});
}

}  // namespace

GlossaryPhrases::GlossaryPhrases(TermList glossary, const Tokenizer& tokenizer)
    : glossary_(std::move(glossary)), continues_word_(continuing_pieces(tokenizer)) {
  const auto& target = tokenizer.untagged();
  for (const auto& entry : glossary_.entries()) {
    auto& phrases = phrases_.emplace_back();
    for (const auto& text : alternatives_of(entry.target)) {
      const auto& phrase = phrases.emplace_back(encode(text, target, continues_word_));
      const auto decoded = target.decode(phrase.ids);
      if (has_unknown(phrase.ids) || decoded != text)
        throw DataError(glossary_.where(entry.number) + "wanted a phrase that this model can generate, got \"" +
                        printable(text, 80) + "\", which it would generate as \"" + printable(decoded, 80) +
                        "\"; write it so or leave it out");
    }
  }
}

std::vector<Phrase> GlossaryPhrases::phrases_for(const PieceSpans& source, std::size_t end) const {
  std::vector<Phrase> result;
  const auto& spans = source.spans;
  const auto tags = static_cast<std::int64_t>(source.tags);
  for (std::int64_t group = 0; const auto& occurrence : glossary_.find(source.text, end)) {
    const auto begins = [&](const auto& piece) { return piece.end > occurrence.begin; };
    const auto first = std::ranges::find_if(spans.begin() + tags, spans.end(), begins);
    const auto last =
        std::ranges::find_if(first, spans.end(), [&](const auto& piece) { return piece.begin >= occurrence.end; });
    const auto pieces = last - first, all = std::ssize(spans) - tags;
    const std::string_view text = source.text;
    const bool is_line = content_of(text.substr(0, occurrence.begin)) == TextContent::kNothing &&
                         content_of(text.substr(occurrence.end)) == TextContent::kNothing;
    for (auto phrase : phrases_[occurrence.entry]) {
      phrase.group = group;
      phrase.is_line = is_line;
      if (attention_shows_translation(pieces, all, phrase)) {
        phrase.source_begin = first - spans.begin();
        phrase.source_end = phrase.source_begin + pieces;
      }
      result.push_back(std::move(phrase));
    }
    ++group;
  }
  return result;
}

bool has_all(std::string_view text, std::span<const Phrase> phrases) {
  std::vector<Match> matches;
  for (const auto& phrase : phrases) add_matches(text, phrase, matches);
  std::ranges::stable_sort(matches, {},
                           [](const Match& match) { return std::pair(match.begin, -std::ssize(match.phrase->text)); });
  std::vector<bool> met(phrases.size());
  std::size_t taken = 0;  // the text up to here is used, or precedes all that is left
  for (const auto& [begin, phrase] : matches) {
    if (begin < taken || met[static_cast<std::size_t>(phrase - phrases.data())]) continue;
    for (std::size_t i = 0; i < phrases.size(); ++i) met[i] = met[i] || phrases[i].replaces(*phrase);
    taken = begin + phrase->text.size();
  }
  return std::ranges::all_of(met, std::identity());
}

}  // namespace gloss
