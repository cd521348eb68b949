#include <string_view>

#include "data/grammar/words.h"

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

Words chinese_phrase(const Lexicon& lexicon, const Sentence& sentence, const Choice& choice) {
  const auto& noun = *choice.word;
  const auto& forms = chinese(noun).words;
  const auto& determiner = chinese(*choice.determiner);
  Words words;
  if (noun.is("pronoun") || noun.is("proper")) {
    append(words, forms[0]);
    return words;
  }
  const auto people = determiner.option("people");
  if (!people.empty() && noun.is("person") && choice.adjective == nullptr) {
    append(words, forms[0] + people);
    return words;
  }
  auto first = choice.determiner->name == "own" ? pronoun(lexicon, owner(sentence)) + "的" : determiner.words[0];
  const auto adjective = choice.adjective == nullptr ? "" : chinese(*choice.adjective).words[0];
  // A phrase has only one 的: 我红色的汽车.
  constexpr std::string_view kOf = "的";
  if (first.ends_with(kOf) && adjective.ends_with(kOf)) first.resize(first.size() - kOf.size());
  append(words, first);
  if (determiner.option("measure") == "yes") append(words, forms[1]);
  append(words, adjective);
  append(words, forms[0]);
  return words;
}

}  // namespace

Words chinese_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece) {
  const auto& choice = sentence.choices[piece.slot];
  const auto& entry = chinese(*choice.word);
  const auto& forms = entry.words;
  const auto kind = sentence.pattern->slots[piece.slot].kind;
  const bool adjective = kind == SlotKind::kAdjective;
  Words words;
  switch (piece.use) {
    case Use::kPlain:
      if (sentence.pattern->slots[piece.slot].is_noun()) return chinese_phrase(lexicon, sentence, choice);
      append(words, adjective ? entry.option("is", "很" + forms[1]) : forms[0]);
      break;
    case Use::kTo:
      append(words, forms[0] + entry.option("to"));
      break;
    case Use::kPronoun:
      append(words, pronoun(lexicon, choice));
      break;
    case Use::kAt:
      append(words, "在" + forms[0] + entry.option("at"));
      break;
    case Use::kLocal:
      append(words, forms[0] + entry.option("at"));
      break;
    case Use::kPast:
      append(words, entry.option("past", forms[0] + "了"));
      break;
    case Use::kNot:
      append(words, entry.option("not", "不" + forms[adjective ? 1 : 0]));
      break;
    case Use::kStem:
      append(words, forms[1]);
      break;
    case Use::kAsk:
      append(words, entry.option("ask", forms[1]));
      break;
    default:
      break;
  }
  return words;
}

}  // namespace gloss::grammar
