#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "data/grammar/draw.h"
#include "data/grammar/grammar.h"
#include "tests/data/count_sentences.h"

namespace gloss::grammar {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::string_view kLexicon = R"([endings]
der nom: er ie as ie
der acc: en ie as ie
der dat: em er em en
weak nom: e e e en
weak acc: en e e en
weak dat: en en en en
[agreement]
be: en | am is are
[determiners]
the: singular | the | d der weak | 那 measure=yes
[nouns]
dog: animal | dog dogs | der Hund Hunde | 狗 只   # a comment
cat: animal | cat cats | die Katze Katzen | 猫 只
[verbs]
see: plain subject=animal object=animal,cat | see sees saw seeing | sehen sieht gesehen | 看见
[adjectives]
big: of=animal | big bigger | groß größer | 大 大
)";

constexpr std::string_view kConstructions = R"(phrase the: the*2 adjectives
construction plain
pattern
V: verb plain
S: subject V the
O: object V the
en [S] [V present S] [O object] .
de [S nom] [V finite S] [O object V] .
zh [S] [V] [O] 。
)";

// Returns the text with the first `from` replaced.
std::string with(std::string_view text, const std::string& from, const std::string& to) {
  std::string changed(text);
  const auto at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return changed.replace(at, from.size(), to);
}

struct Fault {
  std::string from, to, message;
};

TEST(GrammarParserTest, ReadsASmallGrammar) {
  const Grammar grammar(kLexicon, kConstructions);
  ASSERT_EQ(grammar.constructions().size(), 1u);
  Chooser chooser(grammar);
  // Two different nouns, each with or without the adjective.
  EXPECT_EQ(SentenceCount(grammar).of(grammar.constructions()[0]), 2u * 2 * 2);
  bool found = false;
  for (std::uint32_t i = 0; i < 300 && !found; ++i)
    if (const auto sentence = chooser.draw(grammar.constructions()[0], RandomStream(1, "small").at(i)))
      found = realize(grammar.lexicon(), *sentence, Language::kGerman) == "Die große Katze sieht den Hund.";
  EXPECT_TRUE(found);
}

TEST(GrammarParserTest, RefusesAFaultyLexiconWithLineAndReason) {
  for (const auto& [from, to, message] : {
           Fault{"[nouns]", "[nuns]", "lexicon, line 12: there is no section [nuns]"},
           Fault{"[endings]\n", "", "lexicon, line 1: wanted a [section] first"},
           Fault{"dog: animal |", "dog animal |", "line 13: wanted name: ..."},
           Fault{"| 狗 只", "", "line 13: wanted 4 fields between |, got 3"},
           Fault{"dog dogs", "dog", "line 13: wanted 2 words, got 1 in: dog"},
           Fault{"der Hund", "den Hund", "line 13: wanted der, die or das, got den"},
           Fault{"狗 只", "狗 只 size=3", "line 13: there is no option size here"},
           Fault{"cat: animal", "dog: animal", "line 14: dog occurs twice"},
           Fault{"object=animal", "objects=animal", "line 16: there is no role objects here"},
           Fault{"object=animal", "object=stone", "line 16: object: no noun has the class or the name stone"},
           Fault{"subject=animal", "subject=animal subject=cat", "line 16: the role subject occurs twice"},
           Fault{"measure=yes", "measure=yes measure=yes", "line 11: the option measure occurs twice"},
           Fault{"那 measure=yes", "measure=yes 那", "line 11: wanted words before options"},
           Fault{"Hund Hunde", "Hund Hunde weak=no", "line 13: wanted weak=yes, got no"},
           Fault{"be: en", "be: fr", "line 9: wanted en or de, got fr"},
           Fault{"weak dat", "weak gen", "wanted an entry \"weak dat\" in [endings]"},
           Fault{"Katze ", "Kat\xffze ", "lexicon, line 14: wanted UTF-8"},
       })
    EXPECT_THAT(([&from = from, &to = to] { Grammar(with(kLexicon, from, to), kConstructions); }),
                ThrowsMessage<DataError>(HasSubstr(message)))
        << to;
}

TEST(GrammarParserTest, RefusesFaultyConstructionsWithLineAndReason) {
  for (const auto& [from, to, message] : {
           Fault{"the*2", "a*2", "constructions, line 1: there is no determiner a"},
           Fault{"the*2", "the*x", "line 1: wanted a number from 1 to 9 after *"},
           Fault{"the*2 ", "", "line 1: wanted a determiner"},
           Fault{"construction plain\n", "", "line 2: wanted \"pattern\" alone, below a construction"},
           Fault{"construction plain", "construction", "line 2: wanted construction NAME"},
           Fault{"pattern\n", "", "line 3: wanted \"pattern\" first"},
           Fault{"V: verb plain", "V: noise plain", "line 4: there is no kind of slot noise"},
           Fault{"V: verb plain", "V: verb loud", "line 4: no word has all the classes that V asks for"},
           Fault{"V: verb plain\n", "", "line 4: there is no slot V above"},
           Fault{"S: subject V the", "S: subject V", "line 5: wanted more after subject"},
           Fault{"S: subject V the", "S: subject V those", "line 5: there is no phrase those"},
           Fault{"O: object", "S: object", "line 6: the slot S occurs twice"},
           Fault{"[S nom]", "[S nom", "there is no form"},
           Fault{"[V present S]", "[V present]", "line 7: there is no form [V present] of such a word"},
           Fault{"[V present S]", "[V finite S]", "line 7: there is no form [V finite SLOT]"},
           Fault{"[V present S]", "[do S]", "line 7: there is no do in [agreement]"},
           Fault{"[V present S]", "[X base]", "line 7: there is no slot X above"},
           Fault{"de [S", "fr [S", "line 8: wanted a slot, en, de or zh, got fr"},
           Fault{"de [S", "en [S", "line 8: the line en occurs twice"},
           Fault{"zh [S] [V] [O] 。\n", "", "wanted a line zh in the pattern before"},
           Fault{"zh [S] [V] [O] 。", "zh", "line 9: wanted words after zh"},
       })
    EXPECT_THAT(([&from = from, &to = to] { Grammar(kLexicon, with(kConstructions, from, to)); }),
                ThrowsMessage<DataError>(HasSubstr(message)))
        << to;
  EXPECT_THAT(([&] { Grammar(kLexicon, "# nothing\n"); }), ThrowsMessage<DataError>(HasSubstr("wanted at least one")));
}

TEST(GrammarParserTest, AComparisonNeedsComparatives) {
  const auto constructions = with(with(kConstructions, "O: object V the", "O: object V the\nA: adjective O"),
                                  "[O object] .", "[A comparative] .");
  EXPECT_NO_THROW(Grammar(kLexicon, constructions));
  EXPECT_THAT(([&] { Grammar(with(kLexicon, "big bigger", "big -"), constructions); }),
              ThrowsMessage<DataError>(HasSubstr("line 8: big, which can fill A, has no comparative")));
}

TEST(GrammarParserTest, APossessiveNeedsAnOwner) {
  const auto lexicon = with(kLexicon, "[nouns]", "own: singular | - | - der weak | -\n[nouns]");
  EXPECT_THAT(([&] { Grammar(lexicon, with(kConstructions, "the*2", "own")); }),
              ThrowsMessage<DataError>(HasSubstr("line 5: the phrase the needs a slot S above that is referable")));
}

}  // namespace
}  // namespace gloss::grammar
