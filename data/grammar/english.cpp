#include <array>

#include "data/grammar/sentence.h"

namespace gloss::grammar {
namespace {

const Forms& english(const Entry& entry) { return entry.in(Language::kEnglish); }

Words english_phrase(const FormPlace& at, bool object) {
  Words words;
  const auto& choice = at.choice;
  const auto& noun = *choice.word;
  if (noun.is("pronoun")) return words_from(english(noun).words[object ? 1 : 0]);
  const auto& determiner = *choice.determiner;
  if (determiner.name == "own") {
    append(words, english(natural_pronoun(at.lexicon, owner(at.sentence))).words[2]);
  } else if (!noun.is("mass") || determiner.name != "no-mass") {
    append(words, english(determiner).words[0], english(determiner).words[0] == "a");
  }
  if (choice.adjective != nullptr) append(words, english(*choice.adjective).words[0]);
  append(words, english(noun).words[!noun.is("proper") && is_plural(choice) ? 1 : 0]);
  return words;
}

Words english_subject(const FormPlace& at) { return english_phrase(at, false); }
Words english_object(const FormPlace& at) { return english_phrase(at, true); }

template <std::size_t form>
Words english_pronoun(const FormPlace& at) {
  return words_from(english(natural_pronoun(at.lexicon, at.choice)).words[form]);
}

template <std::size_t form>
Words english_form(const FormPlace& at) {
  return words_from(english(*at.choice.word).words[form]);
}

Words english_relative(const FormPlace& at) { return words_from(at.choice.word->is("person") ? "who" : "that"); }

Words english_place(const FormPlace& at) {
  return words_from(english(*at.choice.word).option("at"), english_object(at));
}

Words english_goal(const FormPlace& at) { return words_from("to", english_object(at)); }

Words english_present(const FormPlace& at) {
  return words_from(english(*at.choice.word).words[person(at.argument) == Person::kThird ? 1 : 0]);
}

Words english_modal(const FormPlace& at) { return words_from(agreeing(english(*at.choice.word).words, at.argument)); }

Words english_negation(const FormPlace& at) {
  const auto negated = english(*at.choice.word).option("no");
  std::vector<std::string> forms;
  for (const auto form : split(negated, ',')) forms.emplace_back(form);
  return words_from(agreeing(forms, at.argument));
}

constexpr auto kEnglishForms = std::to_array<WordForm>({{EntryKind::kNoun, "", english_subject},
                                                        {EntryKind::kNoun, "object", english_object},
                                                        {EntryKind::kNoun, "pronoun", english_pronoun<0>},
                                                        {EntryKind::kNoun, "pronoun object", english_pronoun<1>},
                                                        {EntryKind::kNoun, "relative", english_relative},
                                                        {EntryKind::kNoun, "at", english_place},
                                                        {EntryKind::kNoun, "to", english_goal},
                                                        {EntryKind::kVerb, "base", english_form<0>},
                                                        {EntryKind::kVerb, "present", english_present, true},
                                                        {EntryKind::kVerb, "past", english_form<2>},
                                                        {EntryKind::kVerb, "ing", english_form<3>},
                                                        {EntryKind::kAdjective, "", english_form<0>},
                                                        {EntryKind::kAdjective, "comparative", english_form<1>},
                                                        {EntryKind::kAdverb, "", english_form<0>},
                                                        {EntryKind::kModal, "", english_modal, true},
                                                        {EntryKind::kModal, "no", english_negation, true}});

}  // namespace

std::span<const WordForm> english_forms() { return kEnglishForms; }

}  // namespace gloss::grammar
