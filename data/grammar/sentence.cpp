#include "data/grammar/sentence.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gloss::grammar {
namespace {

constexpr std::string_view kPunctuation = ".,?";

Words words_of(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece, Language language) {
  if (piece.form == nullptr && piece.agreement == nullptr) return {{piece.literal}};
  const auto& choice = sentence.choices[piece.slot];
  if (piece.form != nullptr) return piece.form->words({lexicon, sentence, choice, sentence.choices[piece.argument]});
  return {{agreeing(piece.agreement->in(language).words, choice)}};
}

// Replaces "a" before a vowel by "an".
void choose_articles(Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i].article && std::string_view("aeiou").find(words[i + 1].text[0]) != std::string_view::npos)
      words[i].text = "an";
}

// Contracts a preposition and an article, such as "in dem" to "im".
void contract(const Lexicon& lexicon, Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!words[i + 1].article) continue;
    const auto* merged = lexicon.find(EntryKind::kContraction, words[i].text + " " + words[i + 1].text);
    if (merged == nullptr) continue;
    words[i].text = merged->in(Language::kGerman).words[0];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

std::string join(const Words& words, bool spaces) {
  std::string text;
  for (const auto& word : words) {
    if (spaces && !text.empty() && kPunctuation.find(word.text) == std::string_view::npos) text += ' ';
    text += word.text;
  }
  return text;
}

// Capitalizes the first letter, also ä, ö and ü: only their second byte changes, by 32 as in ASCII.
void capitalize(std::string& text) {
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  if (text.starts_with("ä") || text.starts_with("ö") || text.starts_with("ü"))
    text[1] = static_cast<char>(text[1] - 32);
}

}  // namespace

Person person(const Choice& noun) {
  if (noun.determiner->is("plural") || noun.word->is("plural")) return Person::kPlural;
  return noun.word->is("first") ? Person::kFirst : Person::kThird;
}

const std::string& agreeing(const std::vector<std::string>& forms, const Choice& noun) {
  return forms[static_cast<std::size_t>(person(noun))];
}

const Entry& natural_pronoun(const Lexicon& lexicon, const Choice& noun) {
  if (noun.word->is("pronoun")) return *noun.word;
  const auto* name = is_plural(noun) ? "they" : noun.word->is("he") ? "he" : noun.word->is("she") ? "she" : "it";
  return lexicon.get(EntryKind::kNoun, name);
}

bool can_stand(const Entry& determiner, const Entry& noun) {
  for (const auto* kind : {"mass", "proper", "pronoun"})
    if (noun.is(kind) != determiner.is(kind)) return false;
  if (determiner.roles.contains("needs") && !determiner.takes("needs", noun)) return false;
  return !determiner.takes("not", noun);
}

bool is_referable(const Choice& noun) {
  return is_plural(noun) || noun.word->is("first") || !noun.word->is("person") || noun.word->is("he") ||
         noun.word->is("she");
}

const Choice& owner(const Sentence& sentence) {
  const auto& slots = sentence.pattern->slots;
  const auto slot = std::ranges::find(slots, "S", &Slot::name);
  return sentence.choices[static_cast<std::size_t>(slot - slots.begin())];
}

std::string realize(const Lexicon& lexicon, const Sentence& sentence, Language language) {
  Words words;
  for (const auto& piece : sentence.pattern->pieces[static_cast<std::size_t>(language)])
    for (auto& word : words_of(lexicon, sentence, piece, language)) words.push_back(std::move(word));
  if (language == Language::kEnglish) choose_articles(words);
  if (language == Language::kGerman) contract(lexicon, words);
  auto text = join(words, language != Language::kChinese);
  capitalize(text);
  return text;
}

void append(Words& words, std::string text, bool article) {
  if (!text.empty()) words.push_back({std::move(text), article});
}

Words words_from(std::string text, const Words& after) {
  Words words;
  append(words, std::move(text));
  words.insert(words.end(), after.begin(), after.end());
  return words;
}

}  // namespace gloss::grammar
