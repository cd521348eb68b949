#include "data/text_size.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/line_reader.h"
#include "common/text/utf8.h"
#include "common/text/white_space.h"
#include "data/line_hashes.h"

namespace gloss {
namespace {

constexpr bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static_assert(std::ranges::all_of(kAsciiSpace, is_ascii_space));

constexpr bool is_ascii(char c) { return static_cast<signed char>(c) > 0; }  // without NUL

bool is_usable_text(std::string_view line) { return std::ranges::all_of(line, is_ascii) || is_text(line); }

// Words and characters that have been seen.
class Varieties {
 public:
  bool is_full() const { return static_cast<std::int64_t>(words_.size()) == TextVariety::kMaxDistinctWords; }
  // False where the word was there already.
  bool add_word(std::uint64_t hash) { return !is_full() && words_.insert(hash); }
  void add_character(char32_t character) { characters_[character] = true; }
  void add_characters_of(const Varieties& other) {
    for (std::size_t i = 0; i < characters_.size(); ++i)
      if (other.characters_[i]) characters_[i] = true;
  }
  TextVariety variety() const {
    return {static_cast<std::int64_t>(words_.size()), std::ranges::count(characters_, true)};
  }

 private:
  LineHashes words_;
  std::vector<bool> characters_ = std::vector<bool>(0x110000);
};

void add_word(std::string_view word, Varieties& side, Varieties& both) {
  if (side.is_full()) return;
  const auto hash = hash_of_line(word);
  if (side.add_word(hash)) both.add_word(hash);
}

// Returns the number of words.
std::int64_t add_line(std::string_view line, Varieties& side, Varieties& both) {
  std::int64_t words = 0;
  for (std::size_t place = 0; place < line.size();) {
    if (is_ascii_space(line[place])) {
      ++place;
      continue;
    }
    const auto begin = place;
    while (place < line.size() && !is_ascii_space(line[place])) {
      if (is_ascii(line[place])) {
        side.add_character(static_cast<char32_t>(line[place++]));
        continue;
      }
      const auto [character, bytes] = decode_utf8(line, place);
      side.add_character(*character);
      place += bytes;
    }
    add_word(line.substr(begin, place - begin), side, both);
    ++words;
  }
  return words;
}

bool has_words(std::string_view line) { return line.find_first_not_of(kAsciiSpace) != line.npos; }

}  // namespace

TextSize measure_texts(const std::filesystem::path& source, const std::filesystem::path& target,
                       const std::function<void()>& before_pair) {
  LineReader sources(source), targets(target);
  Varieties of_source, of_target, of_both;
  TextSize size;
  std::int64_t source_bytes = 0, target_bytes = 0;
  for (std::string source_line, target_line; sources.next(source_line) && targets.next(target_line);) {
    if (before_pair) before_pair();
    if (!has_words(source_line) || !has_words(target_line) || !is_usable_text(source_line) ||
        !is_usable_text(target_line))
      continue;
    ++size.pairs;
    size.words += add_line(source_line, of_source, of_both) + add_line(target_line, of_target, of_both);
    source_bytes += std::ssize(source_line) + 1;
    target_bytes += std::ssize(target_line) + 1;
  }
  size.bytes = std::max(source_bytes, target_bytes);
  size.source = of_source.variety();
  size.target = of_target.variety();
  of_both.add_characters_of(of_source);
  of_both.add_characters_of(of_target);
  size.both = of_both.variety();
  return size;
}

}  // namespace gloss
