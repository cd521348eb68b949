#include "data/grammar/words.h"

namespace gloss::grammar {
namespace {

const Forms& english(const Entry& entry) { return entry.in(Language::kEnglish); }

Words english_phrase(const Lexicon& lexicon, const Sentence& sentence, const Choice& choice, bool object) {
  Words words;
  const auto& noun = *choice.word;
  if (noun.is("pronoun")) {
    append(words, english(noun).words[object ? 1 : 0]);
    return words;
  }
  const auto& determiner = *choice.determiner;
  if (determiner.name == "own") {
    append(words, english(natural_pronoun(lexicon, owner(sentence))).words[2]);
  } else if (!noun.is("mass") || determiner.name != "no-mass") {
    append(words, english(determiner).words[0], english(determiner).words[0] == "a");
  }
  if (choice.adjective != nullptr) append(words, english(*choice.adjective).words[0]);
  append(words, english(noun).words[!noun.is("proper") && is_plural(choice) ? 1 : 0]);
  return words;
}

// Returns the form for a person from "first,third,plural".
std::string part(const std::string& forms, Person person) {
  std::size_t begin = 0;
  for (int i = 0; i < static_cast<int>(person); ++i) begin = forms.find(',', begin) + 1;
  return forms.substr(begin, forms.find(',', begin) - begin);
}

}  // namespace

Words english_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece) {
  const auto& choice = sentence.choices[piece.slot];
  const auto& forms = english(*choice.word).words;
  const auto agreeing = [&] { return person(sentence.choices[piece.argument]); };
  const bool noun = sentence.pattern->slots[piece.slot].is_noun();
  Words words;
  switch (piece.use) {
    case Use::kPlain:
      if (noun) return english_phrase(lexicon, sentence, choice, false);
      append(words, forms[forms.size() == 3 ? static_cast<std::size_t>(agreeing()) : 0]);
      break;
    case Use::kObject:
      return english_phrase(lexicon, sentence, choice, true);
    case Use::kAt:
      append(words, english(*choice.word).option("at"));
      for (auto& word : english_phrase(lexicon, sentence, choice, true)) words.push_back(std::move(word));
      break;
    case Use::kTo:
      append(words, "to");
      for (auto& word : english_phrase(lexicon, sentence, choice, true)) words.push_back(std::move(word));
      break;
    case Use::kPronoun:
      append(words, english(natural_pronoun(lexicon, choice)).words[0]);
      break;
    case Use::kPronounObject:
      append(words, english(natural_pronoun(lexicon, choice)).words[1]);
      break;
    case Use::kRelative:
      append(words, choice.word->is("person") ? "who" : "that");
      break;
    case Use::kBase:
      append(words, forms[0]);
      break;
    case Use::kPresent:
      append(words, forms[agreeing() == Person::kThird ? 1 : 0]);
      break;
    case Use::kPast:
      append(words, forms[2]);
      break;
    case Use::kIng:
      append(words, forms[3]);
      break;
    case Use::kComparative:
      append(words, forms[1]);
      break;
    case Use::kNo:
      append(words, part(english(*choice.word).option("no"), agreeing()));
      break;
    default:
      break;
  }
  return words;
}

}  // namespace gloss::grammar
