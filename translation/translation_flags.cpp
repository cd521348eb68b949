#include "translation/translation_flags.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "common/sentences/sentence_count.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

using Words = std::vector<std::string>;

constexpr bool is_between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

/// Returns whether c is of a script without spaces, or a syllable of hangul.
bool stands_alone(char32_t c) { return kind_of(c) == CharacterKind::kUnspaced || is_between(c, 0xac00, 0xd7a3); }

/// Collects a word from its first letter or digit to its last.
class GrowingWord {
 public:
  void add(std::string_view character, bool counts) {
    if (counts)
      word_ += std::exchange(between_, {}) += character;
    else if (!word_.empty())
      between_ += character;
  }
  void end(Words& words) {
    if (!word_.empty()) words.push_back(std::exchange(word_, {}));
    between_.clear();
  }

 private:
  std::string word_, between_;
};

/// Returns whether an n-gram of 1 to `max_n` occurs `times` times in succession.
bool repeats_in_succession(const auto& items, std::size_t max_n, std::size_t times) {
  for (std::size_t n = 1; n <= max_n; ++n) {
    std::size_t equal = 0;  // number of consecutive items equal to those n places before
    for (std::size_t i = n; i < items.size(); ++i) {
      equal = items[i] == items[i - n] ? equal + 1 : 0;
      if (equal == n * (times - 1)) return true;
    }
  }
  return false;
}

bool repeats_somewhere(const Words& words, const FlagBounds& bounds) {
  std::map<Words, std::size_t> counts;
  for (std::size_t i = 0; i + bounds.max_ngram <= words.size(); ++i) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
    if (++counts[Words(first, first + static_cast<std::ptrdiff_t>(bounds.max_ngram))] == bounds.min_occurrences)
      return true;
  }
  return false;
}

bool repeats(const Words& words, const FlagBounds& bounds) {
  return repeats_in_succession(words, bounds.max_ngram, bounds.min_consecutive) || repeats_somewhere(words, bounds);
}

bool repeats(std::span<const Id> pieces, const FlagBounds& bounds) {
  return repeats_in_succession(pieces, bounds.max_piece_ngram, bounds.min_consecutive_pieces);
}

Words with_letters(Words words) {
  std::erase_if(words, [](const std::string& word) {
    return std::ranges::all_of(word, [](unsigned char byte) { return byte < 0x80 && !is_letter(byte); });
  });
  return words;
}

/// Returns the length of the longest common subsequence.
std::size_t common_in_order(const Words& a, const Words& b) {
  std::vector<std::size_t> row(b.size() + 1);  // of the words of a so far and the first of b
  for (const auto& word : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto above = row[j + 1];
      row[j + 1] = word == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

bool is_copied(const Words& source, const Words& target, const FlagBounds& bounds) {
  if (std::min(source.size(), target.size()) < bounds.min_copied_words) return false;
  return static_cast<double>(common_in_order(source, target)) >=
         bounds.copied_share * static_cast<double>(target.size());
}

}  // namespace

std::vector<std::string> TranslationFlags::names() const {
  std::vector<std::string> names;
  const auto add = [&](bool raised, const char* name) {
    if (raised) names.emplace_back(name);
  };
  add(repetition, "repetition");
  add(too_short, "too_short");
  add(too_long, "too_long");
  add(copied_source, "copied_source");
  add(unknown, "unknown");
  add(truncated, "truncated");
  add(cut, "cut");
  add(fewer_sentences, "fewer_sentences");
  return names;
}

TranslationFlags flags_of(const FlagInput& input, const FlagBounds& bounds) {
  const auto source = comparable_words(input.source), target = comparable_words(input.target);
  const auto S = static_cast<double>(input.source_pieces.size());
  const auto T = static_cast<double>(input.target_pieces.size());
  TranslationFlags flags;
  flags.repetition = (repeats(target, bounds) && !repeats(source, bounds)) ||
                     (repeats(input.target_pieces, bounds) && !repeats(input.source_pieces, bounds));
  flags.too_short = std::ssize(input.source_pieces) >= bounds.min_source_pieces && T < bounds.min_length_ratio * S;
  flags.too_long = std::ssize(input.target_pieces) >= bounds.min_target_pieces && T > bounds.max_length_ratio * S;
  flags.copied_source = is_copied(with_letters(source), with_letters(target), bounds);
  flags.unknown = input.unknown;
  flags.truncated = input.truncated;
  flags.cut = input.cut;
  flags.fewer_sentences = has_fewer_sentences(input.source, input.target, T / std::max(S, 1.0));
  return flags;
}

std::vector<std::string> comparable_words(std::string_view text) {
  Words words;
  GrowingWord word;
  for (std::size_t i = 0; i < text.size();) {
    const auto [value, bytes] = decode_utf8(text, i);
    const auto character = text.substr(i, bytes);
    const auto c = value.value_or(U'\ufffd');
    i += bytes;
    const bool alone = stands_alone(c);
    if (alone || is_white_space(c)) word.end(words);
    if (!is_white_space(c)) word.add(character, is_letter(c) || is_ascii_digit(c));
    if (alone) word.end(words);
  }
  word.end(words);
  return words;
}

}  // namespace gloss
