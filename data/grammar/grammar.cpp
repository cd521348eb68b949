#include "data/grammar/grammar.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "common/error.h"
#include "data/grammar/sentence.h"

namespace gloss::grammar {
namespace {

constexpr std::array<std::string_view, kLanguages> kCodes = {"en", "de", "zh"};

/// The determiners and adjectives that a noun may have: "phrase who: the*5 this adjectives".
struct Phrase {
  std::vector<const Entry*> determiners;
  bool adjectives = false;
};

/// Returns the form of a word of this kind; null if the language has none of this name.
const WordForm* find_form(Language language, EntryKind kind, std::string_view name) {
  const auto forms = language == Language::kEnglish  ? english_forms()
                     : language == Language::kGerman ? german_forms()
                                                     : chinese_forms();
  const auto found =
      std::ranges::find_if(forms, [&](const auto& form) { return form.kind == kind && form.name == name; });
  return found == forms.end() ? nullptr : &*found;
}

bool is_slot_name(std::string_view word) { return !word.empty() && word[0] >= 'A' && word[0] <= 'Z'; }

/// Parses the text of the constructions.
class Parser {
 public:
  explicit Parser(const Lexicon& lexicon) : lexicon_(lexicon) {}

  std::vector<Construction> parse(std::string_view text) {
    const auto lines = grammar_lines(text, "constructions");
    for (const auto& line : lines) parse_line(line);
    if (lines.empty()) throw DataError("constructions: wanted at least one, got an empty text");
    end_construction(lines.back());
    return std::move(constructions_);
  }

 private:
  void parse_line(const Line& line) {
    const auto words = split_words(line.text);
    if (words[0] == "phrase") {
      parse_phrase(line);
    } else if (words[0] == "construction") {
      begin_construction(line, words);
    } else if (words[0] == "pattern") {
      if (constructions_.empty() || words.size() != 1) line.refuse("wanted \"pattern\" alone, below a construction");
      end_pattern(line);
      constructions_.back().patterns.emplace_back();
    } else if (is_slot_name(words[0])) {
      parse_slot(line, pattern(line));
    } else {
      parse_pieces(line, words, pattern(line));
    }
  }

  Pattern& pattern(const Line& line) {
    if (constructions_.empty() || constructions_.back().patterns.empty()) line.refuse("wanted \"pattern\" first");
    return constructions_.back().patterns.back();
  }

  void begin_construction(const Line& line, const std::vector<std::string>& words) {
    if (words.size() != 2) line.refuse("wanted construction NAME");
    end_construction(line);
    if (std::ranges::find(constructions_, words[1], &Construction::name) != constructions_.end())
      line.refuse("the construction " + words[1] + " occurs twice");
    constructions_.push_back({words[1], {}});
  }

  void end_construction(const Line& line) const {
    if (constructions_.empty()) return;
    if (constructions_.back().patterns.empty())
      line.refuse("wanted a pattern for " + constructions_.back().name + " before");
    end_pattern(line);
  }

  void end_pattern(const Line& line) const {
    if (constructions_.back().patterns.empty()) return;
    for (std::size_t i = 0; i < kLanguages; ++i)
      if (constructions_.back().patterns.back().pieces[i].empty())
        line.refuse("wanted a line " + std::string(kCodes[i]) + " in the pattern before");
  }

  void parse_phrase(const Line& line) {
    const auto colon = line.text.find(':');
    if (colon == std::string_view::npos) line.refuse("wanted phrase NAME: ...");
    Phrase phrase;
    for (const auto& word : split_words(line.text.substr(colon + 1))) {
      if (word == "adjectives") {
        phrase.adjectives = true;
        continue;
      }
      const auto parts = split(word, '*');
      int times = 1;
      if (parts.size() > 1 &&
          (parts.size() > 2 || parts[1].size() != 1 || (times = parts[1][0] - '0') < 1 || times > 9))
        line.refuse("wanted a number from 1 to 9 after *, got " + word);
      const auto* determiner = lexicon_.find(EntryKind::kDeterminer, parts[0]);
      if (determiner == nullptr) line.refuse("there is no determiner " + std::string(parts[0]));
      phrase.determiners.insert(phrase.determiners.end(), static_cast<std::size_t>(times), determiner);
    }
    if (phrase.determiners.empty()) line.refuse("wanted a determiner");
    const auto name = split_words(line.text.substr(0, colon));
    if (name.size() != 2 || !phrases_.emplace(name[1], std::move(phrase)).second)
      line.refuse("wanted phrase and a new name");
  }

  static std::optional<std::size_t> find_slot(const Pattern& pattern, std::string_view name) {
    const auto found = std::ranges::find(pattern.slots, name, &Slot::name);
    if (found == pattern.slots.end()) return std::nullopt;
    return static_cast<std::size_t>(found - pattern.slots.begin());
  }

  static std::size_t expect_slot(const Line& line, const Pattern& pattern, std::string_view name) {
    const auto slot = find_slot(pattern, name);
    if (!slot) line.refuse("there is no slot " + std::string(name) + " above");
    return *slot;
  }

  void set_phrase(const Line& line, const std::string& name, Slot& slot, const Pattern& pattern) const {
    const auto phrase = phrases_.find(name);
    if (phrase == phrases_.end()) line.refuse("there is no phrase " + name);
    slot.determiners = phrase->second.determiners;
    slot.adjectives = phrase->second.adjectives;
    const bool own = std::ranges::any_of(slot.determiners, [](const auto* one) { return one->name == "own"; });
    const auto owner = find_slot(pattern, "S");
    if (own && (!owner || !pattern.slots[*owner].referable))
      line.refuse("the phrase " + name + " needs a slot S above that is referable");
  }

  void parse_slot(const Line& line, Pattern& pattern) {
    const auto colon = line.text.find(':');
    const auto words =
        colon == std::string_view::npos ? std::vector<std::string>{} : split_words(line.text.substr(colon + 1));
    if (words.empty()) line.refuse("wanted NAME: kind ...");
    Slot slot;
    slot.name = trim(line.text.substr(0, colon));
    if (find_slot(pattern, slot.name)) line.refuse("the slot " + slot.name + " occurs twice");
    const auto need = [&](std::size_t count) {
      if (words.size() < count) line.refuse("wanted more after " + words[0]);
    };
    std::size_t used = 1;
    const auto phrase = [&] {
      need(used + 1);
      set_phrase(line, words[used++], slot, pattern);
    };
    const auto other = [&] {
      need(used + 1);
      slot.of = expect_slot(line, pattern, words[used++]);
    };
    const auto& kind = words[0];
    if (kind == "verb" || kind == "adverb" || kind == "modal") {
      slot.kind = kind == "verb" ? SlotKind::kVerb : kind == "adverb" ? SlotKind::kAdverb : SlotKind::kModal;
    } else if (kind == "subject" || kind == "object" || kind == "receiver" || kind == "place") {
      slot.kind = SlotKind::kRole;
      slot.role = kind;
      other();
      phrase();
    } else if (kind == "noun") {
      slot.kind = SlotKind::kNoun;
      phrase();
    } else if (kind == "like") {
      slot.kind = SlotKind::kLike;
      other();
      phrase();
    } else if (kind == "adjective") {
      slot.kind = SlotKind::kAdjective;
      other();
    } else {
      line.refuse("there is no kind of slot " + kind);
    }
    slot.classes.assign(words.begin() + static_cast<std::ptrdiff_t>(used), words.end());
    slot.referable = std::erase(slot.classes, "referable") > 0;
    check_candidates(line, slot);
    pattern.slots.push_back(std::move(slot));
  }

  void check_candidates(const Line& line, const Slot& slot) const {
    const auto kind = entry_kind(slot.kind);
    const auto& entries = lexicon_.entries(kind);
    if (std::ranges::none_of(entries, [&](const auto& entry) { return slot.has_classes(entry); }))
      line.refuse("no word has all the classes that " + slot.name + " asks for");
  }

  void check_comparatives(const Line& line, const Slot& slot, Language language) const {
    for (const auto& adjective : lexicon_.entries(EntryKind::kAdjective))
      if (slot.has_classes(adjective) && adjective.in(language).words[1].empty())
        line.refuse(adjective.name + ", which can fill " + slot.name + ", has no comparative");
  }

  void parse_pieces(const Line& line, const std::vector<std::string>& words, Pattern& pattern) const {
    const auto code = std::ranges::find(kCodes, words[0]);
    if (code == kCodes.end()) line.refuse("wanted a slot, en, de or zh, got " + words[0]);
    const auto language = static_cast<std::size_t>(code - kCodes.begin());
    auto& pieces = pattern.pieces[language];
    if (!pieces.empty()) line.refuse("the line " + words[0] + " occurs twice");
    for (auto rest = trim(line.text.substr(2)); !rest.empty();) {
      const bool bracket = rest[0] == '[';
      const auto end = rest.find(bracket ? ']' : ' ');
      if (bracket && end == std::string_view::npos) line.refuse("wanted ] after " + std::string(rest));
      if (bracket) {
        pieces.push_back(
            read_piece(line, split_words(rest.substr(1, end - 1)), static_cast<Language>(language), pattern));
      } else {
        pieces.push_back({.literal = std::string(rest.substr(0, end))});
      }
      rest = end == std::string_view::npos ? std::string_view() : trim(rest.substr(end + 1));
    }
    if (pieces.empty()) line.refuse("wanted words after " + words[0]);
  }

  Piece read_piece(const Line& line, std::vector<std::string> words, Language language, Pattern& pattern) const {
    if (words.empty()) line.refuse("wanted [SLOT FORM], got []");
    Piece piece;
    if (!is_slot_name(words[0])) {
      piece.agreement = lexicon_.find(EntryKind::kAgreement, words[0]);
      if (piece.agreement == nullptr || !piece.agreement->is(kCodes[static_cast<std::size_t>(language)]))
        line.refuse("there is no " + words[0] + " in [agreement] for this language");
      if (words.size() != 2) line.refuse("wanted a slot after " + words[0]);
      piece.slot = piece.argument = expect_slot(line, pattern, words[1]);
      return piece;
    }
    piece.slot = expect_slot(line, pattern, words[0]);
    const bool argument = words.size() > 1 && is_slot_name(words.back());
    if (argument) {
      piece.argument = expect_slot(line, pattern, words.back());
      words.pop_back();
    }
    std::string text;
    for (std::size_t i = 1; i < words.size(); ++i) text += (i > 1 ? " " : "") + words[i];
    auto& slot = pattern.slots[piece.slot];
    piece.form = find_form(language, entry_kind(slot.kind), text);
    if (piece.form == nullptr || piece.form->has_argument != argument)
      line.refuse("there is no form [" + slot.name + (text.empty() ? "" : " " + text) + (argument ? " SLOT]" : "]") +
                  " of such a word in this language");
    if (text == "comparative") check_comparatives(line, slot, language);
    slot.place |= text == "at" || text == "onto" || text == "local";
    slot.goal |= text == "to";
    return piece;
  }

  const Lexicon& lexicon_;
  std::map<std::string, Phrase> phrases_;
  std::vector<Construction> constructions_;
};

}  // namespace

EntryKind entry_kind(SlotKind kind) {
  switch (kind) {
    case SlotKind::kVerb:
      return EntryKind::kVerb;
    case SlotKind::kAdjective:
      return EntryKind::kAdjective;
    case SlotKind::kAdverb:
      return EntryKind::kAdverb;
    case SlotKind::kModal:
      return EntryKind::kModal;
    default:
      return EntryKind::kNoun;
  }
}

bool Slot::has_classes(const Entry& word) const {
  return std::ranges::all_of(classes, [&](const auto& one) {
    return one.starts_with('!') ? !word.is(std::string_view(one).substr(1)) : word.is(one);
  });
}

Grammar::Grammar(std::string_view lexicon, std::string_view constructions)
    : lexicon_(lexicon), constructions_(Parser(lexicon_).parse(constructions)) {}

}  // namespace gloss::grammar
