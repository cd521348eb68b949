#include "data/grammar/lexicon.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss::grammar {
namespace {

constexpr std::string_view kWhite = " \t\r";

using Names = std::vector<std::string_view>;

/// The fields of the lines of a section.
struct Section {
  std::string_view title;
  EntryKind kind;
  std::array<std::size_t, kLanguages> words;  // number of words in each language; 0: no such field
  std::array<Names, kLanguages> options;
  Names roles;
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"endings", EntryKind::kEndings, {0, 4, 0}, {}, {}},
      {"contractions", EntryKind::kContraction, {0, 1, 0}, {}, {}},
      {"agreement", EntryKind::kAgreement, {3, 3, 0}, {}, {}},
      {"determiners", EntryKind::kDeterminer, {1, 3, 1}, {{{}, {}, {"measure", "people"}}}, {"needs", "not"}},
      {"nouns", EntryKind::kNoun, {2, 3, 2}, {{{"at"}, {"weak", "at", "to"}, {"at", "to"}}}, {}},
      {"verbs",
       EntryKind::kVerb,
       {4, 3, 1},
       {{{}, {"perfect", "object", "ich"}, {"past", "not"}}},
       {"subject", "object", "receiver", "place"}},
      {"adjectives", EntryKind::kAdjective, {2, 2, 2}, {{{}, {"stem"}, {"is", "not", "ask"}}}, {"of"}},
      {"adverbs", EntryKind::kAdverb, {1, 1, 1}, {}, {}},
      {"modals", EntryKind::kModal, {3, 3, 1}, {{{"no"}, {}, {"not"}}}, {}},
  };
  return all;
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Returns the form that a word of the file stands for: "-" is an empty form, "_" is a space.
std::string read_form(std::string text) {
  if (text == "-") return {};
  std::ranges::replace(text, '_', ' ');
  return text;
}

/// Splits "key=value". Returns nothing for a plain word.
std::optional<std::pair<std::string, std::string>> read_option(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos) return std::nullopt;
  return std::pair(word.substr(0, equals), word.substr(equals + 1));
}

/// Returns the number of words that an entry must have in each language. Pronouns and names differ from other nouns.
std::array<std::size_t, kLanguages> required_words(const Section& section, const Entry& entry) {
  if (section.kind == EntryKind::kNoun && entry.is("proper")) return {1, 1, 1};
  if (section.kind == EntryKind::kNoun && entry.is("pronoun")) return {3, 4, entry.name == "they" ? 3u : 1u};
  return section.words;
}

/// Checks options that have only one valid value, and the number of forms of "no".
void check_value(const Line& line, const std::string& option, const std::string& value) {
  constexpr std::pair<std::string_view, std::string_view> kOnly[] = {
      {"weak", "yes"}, {"measure", "yes"}, {"object", "dat"}, {"perfect", "sein"}};
  for (const auto& [name, only] : kOnly)
    if (option == name && value != only) line.refuse("wanted " + option + "=" + std::string(only) + ", got " + value);
  if (option == "no" && split(value, ',').size() != 3) line.refuse("wanted three forms with commas, got no=" + value);
}

Forms read_forms(const Line& line, std::string_view field, std::size_t count, const Names& options) {
  Forms forms;
  for (const auto& word : split_words(field)) {
    if (const auto option = read_option(word)) {
      if (!contains(options, option->first)) line.refuse("there is no option " + option->first + " here");
      check_value(line, option->first, option->second);
      if (!forms.options.emplace(option->first, read_form(option->second)).second)
        line.refuse("the option " + option->first + " occurs twice");
    } else {
      if (!forms.options.empty()) line.refuse("wanted words before options, got " + word);
      forms.words.push_back(read_form(word));
    }
  }
  if (forms.words.size() != count)
    line.refuse("wanted " + std::to_string(count) + " words, got " + std::to_string(forms.words.size()) +
                " in: " + std::string(field));
  return forms;
}

void read_classes(const Line& line, std::string_view field, const Section& section, Entry& entry) {
  for (const auto& word : split_words(field)) {
    const auto role = read_option(word);
    if (!role) {
      entry.classes.push_back(word);
      continue;
    }
    if (!contains(section.roles, role->first)) line.refuse("there is no role " + role->first + " here");
    auto& fitting = entry.roles[role->first];
    if (!fitting.empty()) line.refuse("the role " + role->first + " occurs twice");
    for (const auto name : split(role->second, ',')) fitting.emplace_back(name);
  }
}

void check_german(const Line& line, const Section& section, const Entry& entry) {
  const auto& german = entry.in(Language::kGerman);
  if (section.kind != EntryKind::kNoun || entry.is("proper") || entry.is("pronoun")) return;
  if (!contains(Names{"der", "die", "das"}, german.words[0]))
    line.refuse("wanted der, die or das, got " + german.words[0]);
}

/// Reads a line. Sections of one language have lines without classes: "name: words", or "name: en | words" with the
/// language in their place.
Entry read_entry(const Line& line, const Section& section) {
  const auto colon = line.text.find(':');
  if (colon == std::string_view::npos) line.refuse("wanted name: ..., got " + std::string(line.text));
  Entry entry;
  entry.name = trim(line.text.substr(0, colon));
  if (entry.name.empty()) line.refuse("wanted a name before the colon");
  auto fields = split(line.text.substr(colon + 1), '|');
  const bool german_only = section.words[0] == 0;
  const bool one_language = german_only || section.kind == EntryKind::kAgreement;
  if (german_only) fields.insert(fields.begin(), "de");
  const std::size_t wanted = one_language ? 2 : 1 + kLanguages;
  if (fields.size() != wanted)
    line.refuse("wanted " + std::to_string(wanted) + " fields between |, got " + std::to_string(fields.size()));
  if (one_language) {
    if (fields[0] != "en" && fields[0] != "de") line.refuse("wanted en or de, got " + std::string(fields[0]));
    const std::size_t language = fields[0] == "en" ? 0 : 1;
    entry.classes.emplace_back(fields[0]);
    entry.forms[language] = read_forms(line, fields[1], section.words[language], {});
    return entry;
  }
  read_classes(line, fields[0], section, entry);
  const auto counts = required_words(section, entry);
  for (std::size_t i = 0; i < kLanguages; ++i)
    entry.forms[i] = read_forms(line, fields[i + 1], counts[i], section.options[i]);
  check_german(line, section, entry);
  return entry;
}

}  // namespace

void Line::refuse(const std::string& what) const {
  throw DataError(std::string(file) + ", line " + std::to_string(number) + ": " + printable(what));
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(separator, begin);
    parts.push_back(trim(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (const auto part : split(text, ' '))
    if (!part.empty()) words.emplace_back(part);
  return words;
}

std::vector<Line> grammar_lines(std::string_view text, std::string_view file) {
  if (const auto offset = first_invalid_utf8(text)) {
    const auto number = 1 + std::ranges::count(text.substr(0, *offset), '\n');
    Line{{}, static_cast<std::size_t>(number), file}.refuse("wanted UTF-8");
  }
  std::vector<Line> lines;
  std::size_t number = 0;
  for (const auto whole : split(text, '\n')) {
    ++number;
    const auto line = trim(whole.substr(0, whole.find('#')));
    if (!line.empty()) lines.push_back({line, number, file});
  }
  return lines;
}

std::string Forms::option(const std::string& name, const std::string& otherwise) const {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second;
}

bool Entry::is(std::string_view name_of_class) const {
  return std::ranges::find(classes, name_of_class) != classes.end();
}

bool Entry::takes(const std::string& role, const Entry& noun) const {
  const auto found = roles.find(role);
  return found != roles.end() &&
         std::ranges::any_of(found->second, [&](const auto& one) { return noun.is(one) || noun.name == one; });
}

Lexicon::Lexicon(std::string_view text) {
  const Section* section = nullptr;
  std::vector<std::pair<Line, const Entry>> with_roles;
  for (const auto& line : grammar_lines(text, "lexicon")) {
    if (line.text.starts_with('[')) {
      const auto& all = sections();
      const auto found = std::ranges::find(all, line.text.substr(1, line.text.find(']') - 1), &Section::title);
      if (found == all.end() || !line.text.ends_with(']')) line.refuse("there is no section " + std::string(line.text));
      section = &*found;
      continue;
    }
    if (section == nullptr) line.refuse("wanted a [section] first, got " + std::string(line.text));
    auto entry = read_entry(line, *section);
    if (find(section->kind, entry.name) != nullptr) line.refuse(entry.name + " occurs twice");
    if (!entry.roles.empty()) with_roles.emplace_back(line, entry);
    entries_[static_cast<std::size_t>(section->kind)].push_back(std::move(entry));
  }
  std::set<std::string> classes;
  for (const auto& noun : entries(EntryKind::kNoun)) {
    classes.insert(noun.name);
    classes.insert(noun.classes.begin(), noun.classes.end());
  }
  for (const auto& [line, entry] : with_roles)
    for (const auto& [role, names] : entry.roles)
      for (const auto& name : names)
        if (!classes.contains(name)) line.refuse(role + ": no noun has the class or the name " + name);
  for (const auto& determiner : entries(EntryKind::kDeterminer)) {
    const auto& german = determiner.in(Language::kGerman).words;
    for (const auto* table : {&german[1], &german[2]})
      for (const auto* grammatical_case : {"nom", "acc", "dat"})
        get(EntryKind::kEndings, *table + " " + grammatical_case);
  }
}

const Entry* Lexicon::find(EntryKind kind, std::string_view name) const {
  const auto& all = entries(kind);
  const auto found = std::ranges::find(all, name, &Entry::name);
  return found == all.end() ? nullptr : &*found;
}

const Entry& Lexicon::get(EntryKind kind, std::string_view name) const {
  if (const auto* entry = find(kind, name)) return *entry;
  throw DataError("lexicon: wanted an entry \"" + std::string(name) + "\" in [" +
                  std::string(std::ranges::find(sections(), kind, &Section::kind)->title) + "]");
}

}  // namespace gloss::grammar
