#include <array>
#include <string_view>

#include "data/grammar/sentence.h"

namespace gloss::grammar {
namespace {

const Forms& chinese(const Entry& entry) { return entry.in(Language::kChinese); }

std::string pronoun(const Lexicon& lexicon, const Choice& choice) {
  const auto& entry = natural_pronoun(lexicon, choice);
  const auto& noun = *choice.word;
  if (entry.name != "they" || noun.is("pronoun")) return chinese(entry).words[0];
  const bool women = noun.is("she") || noun.is("female");
  return chinese(entry).words[women ? 1 : noun.is("person") ? 0 : 2];
}

Words chinese_phrase(const FormPlace& at) {
  const auto& choice = at.choice;
  const auto& noun = *choice.word;
  const auto& forms = chinese(noun).words;
  const auto& determiner = chinese(*choice.determiner);
  if (noun.is("pronoun") || noun.is("proper")) return words_from(forms[0]);
  const auto people = determiner.option("people");
  if (!people.empty() && noun.is("person") && choice.adjective == nullptr) return words_from(forms[0] + people);
  auto first = choice.determiner->name == "own" ? pronoun(at.lexicon, owner(at.sentence)) + "的" : determiner.words[0];
  const auto adjective = choice.adjective == nullptr ? "" : chinese(*choice.adjective).words[0];
  // A phrase has only one 的: 我红色的汽车.
  constexpr std::string_view kOf = "的";
  if (first.ends_with(kOf) && adjective.ends_with(kOf)) first.resize(first.size() - kOf.size());
  Words words;
  append(words, first);
  if (determiner.option("measure") == "yes") append(words, forms[1]);
  append(words, adjective);
  append(words, forms[0]);
  return words;
}

Words chinese_pronoun(const FormPlace& at) { return words_from(pronoun(at.lexicon, at.choice)); }

template <std::size_t form>
Words chinese_form(const FormPlace& at) {
  return words_from(chinese(*at.choice.word).words[form]);
}

Words chinese_local(const FormPlace& at) {
  const auto& noun = chinese(*at.choice.word);
  return words_from(noun.words[0] + noun.option("at"));
}

Words chinese_place(const FormPlace& at) {
  const auto& noun = chinese(*at.choice.word);
  return words_from("在" + noun.words[0] + noun.option("at"));
}

Words chinese_goal(const FormPlace& at) {
  const auto& noun = chinese(*at.choice.word);
  return words_from(noun.words[0] + noun.option("to"));
}

Words chinese_past(const FormPlace& at) {
  const auto& verb = chinese(*at.choice.word);
  return words_from(verb.option("past", verb.words[0] + "了"));
}

template <std::size_t form>
Words chinese_negation(const FormPlace& at) {
  const auto& word = chinese(*at.choice.word);
  return words_from(word.option("not", "不" + word.words[form]));
}

Words chinese_adjective(const FormPlace& at) {
  const auto& adjective = chinese(*at.choice.word);
  return words_from(adjective.option("is", "很" + adjective.words[1]));
}

Words chinese_question(const FormPlace& at) {
  const auto& adjective = chinese(*at.choice.word);
  return words_from(adjective.option("ask", adjective.words[1]));
}

constexpr auto kChineseForms = std::to_array<WordForm>({{EntryKind::kNoun, "", chinese_phrase},
                                                        {EntryKind::kNoun, "to", chinese_goal},
                                                        {EntryKind::kNoun, "pronoun", chinese_pronoun},
                                                        {EntryKind::kNoun, "at", chinese_place},
                                                        {EntryKind::kNoun, "local", chinese_local},
                                                        {EntryKind::kVerb, "", chinese_form<0>},
                                                        {EntryKind::kVerb, "past", chinese_past},
                                                        {EntryKind::kVerb, "not", chinese_negation<0>},
                                                        {EntryKind::kAdjective, "", chinese_adjective},
                                                        {EntryKind::kAdjective, "stem", chinese_form<1>},
                                                        {EntryKind::kAdjective, "not", chinese_negation<1>},
                                                        {EntryKind::kAdjective, "ask", chinese_question},
                                                        {EntryKind::kAdverb, "", chinese_form<0>},
                                                        {EntryKind::kModal, "", chinese_form<0>},
                                                        {EntryKind::kModal, "not", chinese_negation<0>}});

}  // namespace

std::span<const WordForm> chinese_forms() { return kChineseForms; }

}  // namespace gloss::grammar
