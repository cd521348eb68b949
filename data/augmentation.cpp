#include "data/augmentation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/sentences/sentence_marks.h"
#include "common/special_ids.h"
#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/text_span.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

constexpr std::size_t kMinLetters = 4, kMaxTypos = 3, kMaxPlaceholders = 3;
constexpr std::string_view kKeyboard = "qwertyuiop asdfghjkl zxcvbnm";
// Made-up placeholders: \1 is a name, \2 a digit.
constexpr std::array<std::string_view, 11> kPatterns{
    "{\1}", "{\2}", "%s", "%d", "%\2$s", "%(\1)s", "${\1}", "⟦\2⟧", "<\2/>", "https://\1.org/\1", "\1@\1.org"};

bool stays(std::string_view word, KeptTexts kept) {
  const auto contains = [&](std::string_view part) { return word.find(part) != word.npos; };
  return word.find_first_of("{}<>@%$_\\") != word.npos || contains("⟦") || contains("://") || contains("www.") ||
         std::ranges::any_of(kept, contains);
}

/// Returns a key beside that of a letter; 0 for a letter without a key.
char32_t neighbor_key(char32_t letter, RandomSequence& draws) {
  const auto key = letter < 0x80 ? kKeyboard.find(static_cast<char>(letter)) : kKeyboard.npos;
  if (key == kKeyboard.npos) return 0;
  const bool is_first = key == 0 || kKeyboard[key - 1] == ' ';
  const bool is_last = key + 1 == kKeyboard.size() || kKeyboard[key + 1] == ' ';
  return static_cast<char32_t>(kKeyboard[is_first || (!is_last && draws.below(2) == 1) ? key + 1 : key - 1]);
}

/// Returns the begin of the marks at the end of a sentence and of spaces before them; its size if it has none.
std::size_t end_mark_of(std::string_view text) {
  auto begin = text.size();
  for (auto last = begin; begin > 0; begin = last) {
    last = last_character(text.substr(0, begin));
    if (!is_end_mark(decode_utf8(text, last).value.value_or(0))) break;
  }
  while (begin < text.size() && begin > 0 && text[begin - 1] == ' ') --begin;
  return begin == 0 ? text.size() : begin;
}

/// Returns the end of the tags at the beginning of a text, which are symbols.
std::size_t end_of_tags(std::string_view text, KeptTexts symbols) {
  const auto end = text.find(' ');
  if (end == text.npos || std::ranges::find(symbols, text.substr(0, end)) == symbols.end()) return 0;
  return end + 1 + end_of_tags(text.substr(end + 1), symbols);
}

struct BareWord {
  TextSpan span;
  int count = 0;
};

/// Returns the words of a text without the punctuation at their ends. The first word, whose capital means nothing,
/// counts twice.
std::map<std::string_view, BareWord> bare_words(std::string_view text, KeptTexts kept) {
  std::map<std::string_view, BareWord> words;
  for (const auto word : split_text(text, ' ')) {
    TextSpan bare{text.size(), 0};
    for_each_character(word, [&](auto value, std::string_view spelling) {
      const auto place = static_cast<std::size_t>(spelling.data() - text.data());
      if (value && kind_of(*value) != CharacterKind::kOther)
        bare = {std::min(bare.begin, place), place + spelling.size()};
    });
    if (bare.begin >= bare.end || stays(word, kept)) continue;
    auto& entry = words[bare.of(text)];
    entry = {bare, entry.count + (word.data() == text.data() ? 2 : 1)};
  }
  return words;
}

/// Returns the places in both texts of names and numbers that occur once in each.
std::vector<std::pair<TextSpan, TextSpan>> shared_words(const TextPair& pair, KeptTexts kept) {
  const auto targets = bare_words(pair.target, kept);
  std::vector<std::pair<TextSpan, TextSpan>> shared;
  for (const auto& [word, source] : bare_words(pair.source, kept)) {
    const auto first = decode_utf8(word, 0).value.value_or(0);
    const auto target = targets.find(word);
    if ((is_ascii_digit(first) || (is_upper_case(first) && word.size() > 1)) && source.count == 1 &&
        target != targets.end() && target->second.count == 1)
      shared.emplace_back(source.span, target->second.span);
  }
  return shared;
}

/// Inserts a word before another one or after a word. Scripts without spaces get none.
void insert_word(std::string& text, std::size_t place, std::string_view word) {
  const auto before = std::string_view(text).substr(0, place), after = std::string_view(text).substr(place);
  const bool begins = before.empty() || before.back() == ' ';
  const bool space_before = !begins && last_kind(before) != CharacterKind::kUnspaced;
  const bool space_after = begins && !after.empty() && first_kind(after) != CharacterKind::kUnspaced;
  text.insert(place, (space_before ? " " : "") + std::string(word) + (space_after ? " " : ""));
}

std::string filled(std::string_view pattern, std::string_view name, char digit) {
  std::string text;
  for (const char c : pattern)
    text += c == '\1' ? name : c == '\2' ? std::string_view(&digit, 1) : std::string_view(&c, 1);
  return text;
}

}  // namespace

std::string in_case(std::string_view text, LetterCase letter_case, KeptTexts kept) {
  std::string changed;
  for (const auto word : split_text(text, ' ')) {
    if (word.data() != text.data()) changed += ' ';
    const bool word_stays = letter_case == LetterCase::kStays || stays(word, kept);
    bool begins = true;  // no letter or digit before
    for_each_character(word, [&](auto value, std::string_view spelling) {
      const bool lower = letter_case == LetterCase::kLower;
      if (!value || word_stays || (letter_case == LetterCase::kTitle && !begins))
        changed += spelling;
      else if (*value == U'ß' && !lower)
        changed += "SS";
      else
        append_utf8(lower ? lower_case(*value) : upper_case(*value), changed);
      begins = begins && (!value || kind_of(*value) == CharacterKind::kOther);
    });
  }
  return changed;
}

bool remove_end_marks(TextPair& pair) {
  const auto source = end_mark_of(pair.source), target = end_mark_of(pair.target);
  if (source == pair.source.size() || target == pair.target.size()) return false;
  pair.source.resize(source);
  pair.target.resize(target);
  return true;
}

std::string with_typo(std::string_view text, KeptTexts kept, RandomSequence& draws) {
  std::u32string characters;
  std::vector<std::size_t> places;  // of letters that may change
  for (const auto word : split_text(text, ' ')) {
    if (word.data() != text.data()) characters += U' ';
    std::vector<std::size_t> letters;
    for_each_character(word, [&](auto value, auto) {
      if (value && is_letter(*value) && kind_of(*value) == CharacterKind::kWord) letters.push_back(characters.size());
      characters += value.value_or(U'\ufffd');
    });
    if (letters.size() >= kMinLetters && !stays(word, kept))
      places.insert(places.end(), letters.begin() + 1, letters.end());
  }
  if (places.empty()) return std::string(text);
  enum Typo { kSwap, kDrop, kDouble, kNeighbor };
  const auto typo = draws.below(4), place = places[draws.below(places.size())];
  auto& letter = characters[place];
  if (const auto key = typo == kNeighbor ? neighbor_key(letter, draws) : 0)
    letter = key;
  else if (typo == kSwap && std::ranges::binary_search(places, place + 1) && letter != characters[place + 1])
    std::swap(letter, characters[place + 1]);
  else if (typo == kDouble)
    characters.insert(place, 1, letter);
  else
    characters.erase(place, 1);
  std::string changed;
  for (const auto c : characters) append_utf8(c, changed);
  return changed;
}

bool add_placeholder(TextPair& pair, std::string_view placeholder, KeptTexts kept, RandomSequence& draws) {
  if (pair.source.find(placeholder) != pair.source.npos || pair.target.find(placeholder) != pair.target.npos)
    return false;
  enum Way { kBegin, kEnd, kAfter, kInPlace };
  const auto shared = shared_words(pair, kept);
  const auto way = draws.below(shared.empty() ? 2 : 4);
  const auto spans = shared.empty() ? std::pair<TextSpan, TextSpan>() : shared[draws.below(shared.size())];
  const auto add = [&](std::string& text, const TextSpan& span) {
    if (way == kInPlace)
      text.replace(span.begin, span.size(), placeholder);
    else
      insert_word(text,
                  way == kBegin ? end_of_tags(text, kept)
                  : way == kEnd ? end_mark_of(text)
                                : span.end,
                  placeholder);
  };
  add(pair.source, spans.first);
  add(pair.target, spans.second);
  return true;
}

struct PairAugmenter::Changes {
  LetterCase letter_case = LetterCase::kStays;
  bool no_end_mark = false, typos = false, placeholders = false;

  bool any() const { return letter_case != LetterCase::kStays || no_end_mark || typos || placeholders; }
};

PairAugmenter::PairAugmenter(const DataConfig& config, std::vector<std::string> symbols,
                             std::shared_ptr<const Tokenizer> source, std::shared_ptr<const Tokenizer> target)
    : config_(config.augmentation),
      max_length_(config.max_length),
      symbols_(std::move(symbols)),
      source_(std::move(source)),
      target_(std::move(target)),
      source_encoder_(*source_),
      target_encoder_(*target_) {
  if (config_.placeholders == 0) return;
  for (const auto& symbol : symbols_)
    if (!symbol.starts_with('<')) placeholders_.push_back(symbol);
  const auto spells = [](const Tokenizer& tokenizer, const std::string& text) {
    const auto ids = tokenizer.encode(text);
    return !has_unknown(ids) && tokenizer.decode(ids) == text;
  };
  for (const auto pattern : kPatterns)
    if (const auto text = filled(pattern, "name", '1'); spells(*source_, text) && spells(*target_, text))
      placeholders_.emplace_back(pattern);
  if (placeholders_.empty())
    throw UsageError({Key{"data.augment_placeholders"},
                      ": wanted a vocabulary that spells placeholders, such as {name}; set ",
                      Key{"tokenizer.byte_fallback"}, " to true, or list placeholders in ", Key{"tokenizer.symbols"}});
}

PairAugmenter::Changes PairAugmenter::draw(RandomSequence& draws) const {
  const auto in_case = draws.next(), end_mark = draws.next(), typos = draws.next(), placeholders = draws.next();
  const auto upper = config_.upper_case, title = upper + config_.title_case, lower = title + config_.lower_case;
  return {.letter_case = in_case < upper   ? LetterCase::kUpper
                         : in_case < title ? LetterCase::kTitle
                         : in_case < lower ? LetterCase::kLower
                                           : LetterCase::kStays,
          .no_end_mark = end_mark < config_.no_end_mark,
          .typos = typos < config_.typos,
          .placeholders = placeholders < config_.placeholders};
}

bool PairAugmenter::draws_change(const RandomStream& random, std::uint64_t sentence) const {
  RandomSequence draws(random, sentence);
  return draw(draws).any();
}

bool PairAugmenter::augment(Ids& source, Ids& target, const RandomStream& random, std::uint64_t sentence) {
  RandomSequence draws(random, sentence);
  const auto changes = draw(draws);
  if (!changes.any()) return false;
  ++counts_.drawn;
  const auto are_unknown = [this](const Ids& a, const Ids& b) {
    const bool unknown = has_unknown(a) || has_unknown(b);
    counts_.unknown += unknown ? 1 : 0;
    return unknown;
  };
  if (are_unknown(source, target)) return false;
  TextPair pair{source_->decode(source), target_->decode(target)};
  const auto before = pair;
  for (auto count = changes.placeholders ? 1 + draws.below(kMaxPlaceholders) : 0; count > 0; --count)
    add_placeholder(pair, make_up_placeholder(pair.source, draws), symbols_, draws);
  if (changes.no_end_mark) remove_end_marks(pair);
  for (auto count = changes.typos ? 1 + draws.below(kMaxTypos) : 0; count > 0; --count)
    pair.source = with_typo(pair.source, symbols_, draws);
  pair.source = in_case(pair.source, changes.letter_case, symbols_);
  if (changes.letter_case != LetterCase::kLower) pair.target = in_case(pair.target, changes.letter_case, symbols_);

  if (pair == before) return false;
  auto new_source = source_encoder_.encode(pair.source), new_target = target_encoder_.encode(pair.target);
  if (source_->has_source_eos() || new_source.empty()) new_source.push_back(kEos);
  new_target.push_back(kEos);
  if (are_unknown(new_source, new_target) || std::max(std::ssize(new_source), std::ssize(new_target)) > max_length_)
    return false;
  source = std::move(new_source);
  target = std::move(new_target);
  return true;
}

std::string PairAugmenter::make_up_placeholder(std::string_view source, RandomSequence& draws) const {
  const auto words = split_text(source, ' ');
  auto name = in_case(words[draws.below(words.size())], LetterCase::kLower, {});
  const bool is_name = name.size() > 1 && std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_name || draws.below(2) == 0) {
    name.clear();
    for (auto count = 3 + draws.below(6); count > 0; --count) name += static_cast<char>('a' + draws.below(26));
  }
  const auto& pattern = placeholders_[draws.below(placeholders_.size())];
  return filled(pattern, name, static_cast<char>('0' + draws.below(10)));
}

}  // namespace gloss
