#include <array>
#include <string_view>
#include <utility>

#include "data/grammar/sentence.h"

namespace gloss::grammar {
namespace {

const Forms& german(const Entry& entry) { return entry.in(Language::kGerman); }

// Returns the column of a table of endings: masculine, feminine, neuter, plural.
std::size_t column(const Choice& choice) {
  if (is_plural(choice)) return 3;
  const auto& article = german(*choice.word).words[0];
  return article == "der" ? 0 : article == "die" ? 1 : 2;
}

std::string ending(const Lexicon& lexicon, const std::string& table, std::string_view grammatical_case,
                   const Choice& choice) {
  const auto& row = lexicon.get(EntryKind::kEndings, table + " " + std::string(grammatical_case));
  return german(row).words[column(choice)];
}

// Returns the pronoun for a noun by its grammatical gender.
const Entry& german_pronoun(const Lexicon& lexicon, const Choice& choice) {
  if (is_plural(choice) || choice.word->is("pronoun") || choice.word->is("proper"))
    return natural_pronoun(lexicon, choice);
  constexpr std::string_view kByGender[] = {"he", "she", "it"};
  return lexicon.get(EntryKind::kNoun, kByGender[column(choice)]);
}

std::size_t pronoun_form(std::string_view grammatical_case) {
  return grammatical_case == "nom" ? 0 : grammatical_case == "acc" ? 1 : 2;
}

std::string decline(const Choice& choice, std::string_view grammatical_case) {
  const auto& forms = german(*choice.word);
  if (choice.word->is("proper")) return forms.words[0];
  const auto& plural = forms.words[2];
  if (is_plural(choice))
    return plural + (grammatical_case == "dat" && !plural.ends_with('n') && !plural.ends_with('s') ? "n" : "");
  return grammatical_case != "nom" && forms.option("weak") == "yes" ? plural : forms.words[1];
}

Words german_phrase(const FormPlace& at, std::string_view grammatical_case) {
  Words words;
  const auto& choice = at.choice;
  if (choice.word->is("pronoun")) return words_from(german(*choice.word).words[pronoun_form(grammatical_case)]);
  const auto& determiner = german(*choice.determiner).words;
  if (!choice.word->is("proper")) {
    auto stem = determiner[0];
    if (choice.determiner->name == "own") stem = german(german_pronoun(at.lexicon, owner(at.sentence))).words[3];
    append(words, stem + ending(at.lexicon, determiner[1], grammatical_case, choice), stem == "d");
  }
  if (choice.adjective != nullptr) {
    const auto& adjective = german(*choice.adjective);
    append(words,
           adjective.option("stem", adjective.words[0]) + ending(at.lexicon, determiner[2], grammatical_case, choice));
  }
  append(words, decline(choice, grammatical_case));
  return words;
}

Words german_pronoun_word(const FormPlace& at, std::string_view grammatical_case) {
  return words_from(german(german_pronoun(at.lexicon, at.choice)).words[pronoun_form(grammatical_case)]);
}

Words german_relative(const FormPlace& at, std::string_view grammatical_case) {
  if (is_plural(at.choice) && grammatical_case == "dat") return words_from("denen");
  return words_from("d" + ending(at.lexicon, "der", grammatical_case, at.choice));
}

// Return the words of a noun in a certain case, or in the one that the verb `argument` governs.
using NounWords = Words(const FormPlace&, std::string_view grammatical_case);
template <NounWords words>
Words nominative(const FormPlace& at) {
  return words(at, "nom");
}
template <NounWords words>
Words accusative(const FormPlace& at) {
  return words(at, "acc");
}
template <NounWords words>
Words governed(const FormPlace& at) {
  return words(at, german(*at.argument.word).option("object") == "dat" ? "dat" : "acc");
}

Words german_dative(const FormPlace& at) { return german_phrase(at, "dat"); }

Words german_place(const FormPlace& at) {
  return words_from(german(*at.choice.word).option("at"), german_phrase(at, "dat"));
}

Words german_place_accusative(const FormPlace& at) {
  return words_from(german(*at.choice.word).option("at"), german_phrase(at, "acc"));
}

Words german_goal(const FormPlace& at) {
  const auto preposition = german(*at.choice.word).option("to");
  return words_from(preposition, german_phrase(at, preposition == "zu" ? "dat" : "acc"));
}

// Splits "prefix+infinitive" of a verb. The prefix is empty if there is none.
std::pair<std::string, std::string> separate(const FormPlace& verb) {
  const auto& infinitive = german(*verb.choice.word).words[0];
  const auto plus = infinitive.find('+');
  if (plus == std::string::npos) return {"", infinitive};
  return {infinitive.substr(0, plus), infinitive.substr(plus + 1)};
}

std::string finite(const FormPlace& verb) {
  const auto& forms = german(*verb.choice.word);
  const auto infinitive = separate(verb).second;
  const auto of = person(verb.argument);
  if (of == Person::kThird) return forms.words[1];
  if (of == Person::kPlural) return infinitive;
  return forms.option("ich", infinitive.substr(0, infinitive.size() - 1));
}

Words german_finite(const FormPlace& at) { return words_from(finite(at)); }
Words german_joined(const FormPlace& at) { return words_from(separate(at).first + finite(at)); }
Words german_prefix(const FormPlace& at) { return words_from(separate(at).first); }

Words german_infinitive(const FormPlace& at) {
  const auto [prefix, infinitive] = separate(at);
  return words_from(prefix + infinitive);
}

Words german_zu(const FormPlace& at) {
  const auto [prefix, infinitive] = separate(at);
  return words_from(prefix.empty() ? "zu " + infinitive : prefix + "zu" + infinitive);
}

Words german_auxiliary(const FormPlace& at) {
  const auto name = german(*at.choice.word).option("perfect", "haben");
  return words_from(agreeing(german(at.lexicon.get(EntryKind::kAgreement, name)).words, at.argument));
}

Words german_modal(const FormPlace& at) { return words_from(agreeing(german(*at.choice.word).words, at.argument)); }

template <std::size_t form>
Words german_form(const FormPlace& at) {
  return words_from(german(*at.choice.word).words[form]);
}

constexpr auto kGermanForms =
    std::to_array<WordForm>({{EntryKind::kNoun, "nom", nominative<german_phrase>},
                             {EntryKind::kNoun, "acc", accusative<german_phrase>},
                             {EntryKind::kNoun, "dat", german_dative},
                             {EntryKind::kNoun, "object", governed<german_phrase>, true},
                             {EntryKind::kNoun, "pronoun nom", nominative<german_pronoun_word>},
                             {EntryKind::kNoun, "pronoun acc", accusative<german_pronoun_word>},
                             {EntryKind::kNoun, "pronoun object", governed<german_pronoun_word>, true},
                             {EntryKind::kNoun, "relative nom", nominative<german_relative>},
                             {EntryKind::kNoun, "relative object", governed<german_relative>, true},
                             {EntryKind::kNoun, "at", german_place},
                             {EntryKind::kNoun, "to", german_goal},
                             {EntryKind::kNoun, "onto", german_place_accusative},
                             {EntryKind::kVerb, "finite", german_finite, true},
                             {EntryKind::kVerb, "joined", german_joined, true},
                             {EntryKind::kVerb, "prefix", german_prefix},
                             {EntryKind::kVerb, "infinitive", german_infinitive},
                             {EntryKind::kVerb, "zu", german_zu},
                             {EntryKind::kVerb, "participle", german_form<2>},
                             {EntryKind::kVerb, "aux", german_auxiliary, true},
                             {EntryKind::kAdjective, "", german_form<0>},
                             {EntryKind::kAdjective, "comparative", german_form<1>},
                             {EntryKind::kAdverb, "", german_form<0>},
                             {EntryKind::kModal, "", german_modal, true}});

}  // namespace

std::span<const WordForm> german_forms() { return kGermanForms; }

}  // namespace gloss::grammar
