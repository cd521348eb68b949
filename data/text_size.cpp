#include "data/text_size.h"

#include <algorithm>
#include <vector>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "data/pair_verdict.h"

namespace gloss {
namespace {

constexpr bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static_assert(std::ranges::all_of(kAsciiSpace, is_ascii_space));

constexpr bool is_ascii(char c) { return static_cast<signed char>(c) > 0; }  // without NUL

}  // namespace

/// The distinct words and characters so far.
struct TextSizeCounter::Varieties {
  bool is_full() const { return static_cast<std::int64_t>(words.size()) == TextVariety::kMaxDistinctWords; }
  /// Adds a word. Returns false if it was counted before or the set is full.
  bool add_word(std::uint64_t hash) { return !is_full() && words.insert(hash); }
  void add_character(char32_t character) {
    characters[character] = true;
    letters.add(character);
  }
  void add_characters_of(const Varieties& other) {
    for (std::size_t i = 0; i < characters.size(); ++i)
      if (other.characters[i]) characters[i] = true;
    letters.add(other.letters);
  }
  TextVariety variety() const {
    return {.distinct_words = static_cast<std::int64_t>(words.size()),
            .characters = std::ranges::count(characters, true),
            .letters = letters,
            .changed_by_nfkc = changed,
            .full_width = full_width,
            .joined = joined,
            .first_changed = first_changed};
  }

  LineHashes words;
  std::vector<bool> characters = std::vector<bool>(0x110000);
  WritingCounts letters;
  std::int64_t changed = 0, full_width = 0, joined = 0;  ///< lines, as in TextVariety
  char32_t first_changed = 0;
};

TextSizeCounter::TextSizeCounter()
    : source_(std::make_unique<Varieties>()),
      target_(std::make_unique<Varieties>()),
      both_(std::make_unique<Varieties>()) {}

TextSizeCounter::~TextSizeCounter() = default;

void TextSizeCounter::add(std::string_view source, std::string_view target) {
  ++pairs_;
  words_ += add_line(source, *source_, *both_) + add_line(target, *target_, *both_);
  source_bytes_ += std::ssize(source) + 1;
  target_bytes_ += std::ssize(target) + 1;
}

TextSize TextSizeCounter::size() const {
  auto both = *both_;
  both.add_characters_of(*source_);
  both.add_characters_of(*target_);
  return {.pairs = pairs_,
          .words = words_,
          .bytes = std::max(source_bytes_, target_bytes_),
          .source = source_->variety(),
          .target = target_->variety(),
          .both = both.variety()};
}

// Adds the words and characters of a line and returns its number of words.
std::int64_t TextSizeCounter::add_line(std::string_view line, Varieties& side, Varieties& both) {
  std::int64_t words = 0;
  bool changed = false, full_width = false, joined = false;
  char32_t before = 0;
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
      if (const auto change = nfkc_change(*character); change != NfkcChange::kNone) {
        changed = true;
        full_width |= change == NfkcChange::kFullWidth;
        joined |= change == NfkcChange::kJoiner && before >= 0x0590 && before < 0x2000;  // not inside an emoji
        if (side.first_changed == 0) side.first_changed = *character;
      }
      before = *character;
      place += bytes;
    }
    ++words;
    if (side.is_full()) continue;
    const auto hash = hash_of_line(line.substr(begin, place - begin));
    if (side.add_word(hash)) both.add_word(hash);
  }
  side.changed += changed ? 1 : 0;
  side.full_width += full_width ? 1 : 0;
  side.joined += joined ? 1 : 0;
  return words;
}

}  // namespace gloss
