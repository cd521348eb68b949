#include <algorithm>
#include <string_view>

#include "data/grammar/words.h"

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

Words german_phrase(const Lexicon& lexicon, const Sentence& sentence, const Choice& choice,
                    std::string_view grammatical_case) {
  Words words;
  if (choice.word->is("pronoun")) {
    append(words, german(*choice.word).words[pronoun_form(grammatical_case)]);
    return words;
  }
  const auto& determiner = german(*choice.determiner).words;
  if (!choice.word->is("proper")) {
    auto stem = determiner[0];
    if (choice.determiner->name == "own") stem = german(german_pronoun(lexicon, owner(sentence))).words[3];
    append(words, stem + ending(lexicon, determiner[1], grammatical_case, choice), stem == "d");
  }
  if (choice.adjective != nullptr) {
    const auto& adjective = german(*choice.adjective);
    append(words,
           adjective.option("stem", adjective.words[0]) + ending(lexicon, determiner[2], grammatical_case, choice));
  }
  append(words, decline(choice, grammatical_case));
  return words;
}

Words with_preposition(const std::string& preposition, Words noun) {
  Words words;
  append(words, preposition);
  words.insert(words.end(), noun.begin(), noun.end());
  return words;
}

// Splits "prefix+infinitive". The prefix is empty if there is none.
std::pair<std::string, std::string> separate(const std::string& infinitive) {
  const auto plus = infinitive.find('+');
  if (plus == std::string::npos) return {"", infinitive};
  return {infinitive.substr(0, plus), infinitive.substr(plus + 1)};
}

std::string finite(const Choice& verb, Person person) {
  const auto& forms = german(*verb.word);
  const auto infinitive = separate(forms.words[0]).second;
  if (person == Person::kThird) return forms.words[1];
  if (person == Person::kPlural) return infinitive;
  return forms.option("ich", infinitive.substr(0, infinitive.size() - 1));
}

std::string_view governed_case(const Choice& verb) {
  return german(*verb.word).option("object") == "dat" ? "dat" : "acc";
}

Words relative(const Lexicon& lexicon, const Choice& choice, std::string_view grammatical_case) {
  Words words;
  const bool those = is_plural(choice) && grammatical_case == "dat";
  append(words, those ? "denen" : std::string("d").append(ending(lexicon, "der", grammatical_case, choice)));
  return words;
}

}  // namespace

Words german_words(const Lexicon& lexicon, const Sentence& sentence, const Piece& piece) {
  const auto& choice = sentence.choices[piece.slot];
  const auto& argument = sentence.choices[piece.argument];
  const auto& entry = german(*choice.word);
  const auto& forms = entry.words;
  const auto pronoun = [&](std::string_view grammatical_case) {
    return german(german_pronoun(lexicon, choice)).words[pronoun_form(grammatical_case)];
  };
  Words words;
  switch (piece.use) {
    case Use::kPlain:
      append(words, forms[forms.size() == 3 ? static_cast<std::size_t>(person(argument)) : 0]);
      break;
    case Use::kNominative:
      return german_phrase(lexicon, sentence, choice, "nom");
    case Use::kAccusative:
      return german_phrase(lexicon, sentence, choice, "acc");
    case Use::kDative:
      return german_phrase(lexicon, sentence, choice, "dat");
    case Use::kGoverned:
      return german_phrase(lexicon, sentence, choice, governed_case(argument));
    case Use::kPronounNominative:
      append(words, pronoun("nom"));
      break;
    case Use::kPronounAccusative:
      append(words, pronoun("acc"));
      break;
    case Use::kPronounGoverned:
      append(words, pronoun(governed_case(argument)));
      break;
    case Use::kRelativeNominative:
      return relative(lexicon, choice, "nom");
    case Use::kRelativeGoverned:
      return relative(lexicon, choice, governed_case(argument));
    case Use::kAt:
      return with_preposition(entry.option("at"), german_phrase(lexicon, sentence, choice, "dat"));
    case Use::kOnto:
      return with_preposition(entry.option("at"), german_phrase(lexicon, sentence, choice, "acc"));
    case Use::kTo:
      return with_preposition(entry.option("to"),
                              german_phrase(lexicon, sentence, choice, entry.option("to") == "zu" ? "dat" : "acc"));
    case Use::kFinite:
      append(words, finite(choice, person(argument)));
      break;
    case Use::kJoined:
      append(words, separate(forms[0]).first + finite(choice, person(argument)));
      break;
    case Use::kPrefix:
      append(words, separate(forms[0]).first);
      break;
    case Use::kInfinitive:
      append(words, separate(forms[0]).first + separate(forms[0]).second);
      break;
    case Use::kZu: {
      const auto [prefix, infinitive] = separate(forms[0]);
      append(words, prefix.empty() ? "zu " + infinitive : prefix + "zu" + infinitive);
      break;
    }
    case Use::kParticiple:
      append(words, forms[2]);
      break;
    case Use::kAux: {
      const auto& auxiliary = lexicon.get(EntryKind::kAgreement, entry.option("perfect", "haben"));
      append(words, german(auxiliary).words[static_cast<std::size_t>(person(argument))]);
      break;
    }
    case Use::kComparative:
      append(words, forms[1]);
      break;
    default:
      break;
  }
  return words;
}

}  // namespace gloss::grammar
