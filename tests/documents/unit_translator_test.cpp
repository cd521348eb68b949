#include "documents/unit_translator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/documents/model/document_helpers.h"

namespace gloss {
namespace {

using testing::Contains;
using testing::ElementsAre;

/// Writes a sentence in upper case, its words in the reverse order if `reorders`. Forgets words with digits unless they
/// are required, and then only if `can_be_forced`. Without links if it is `blind`.
class FakeTranslator final : public SentenceTranslator {
 public:
  bool reorders = false, forgets_digits = false, can_be_forced = true, blind = false;
  std::size_t limit = 1000;
  std::string phrase = {};  ///< of a glossary
  std::string says = {};    ///< in place of a translation
  mutable std::vector<std::string> seen;

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override {
    std::vector<SentenceTranslation> result;
    for (const auto& sentence : sentences) {
      seen.push_back(sentence.text);
      result.push_back(translation_of(sentence));
    }
    return result;
  }
  bool fits(std::string_view sentence) const override { return sentence.size() <= limit; }
  bool can_spell(std::string_view text) const override { return text.find('!') == text.npos; }
  std::vector<TextSpan> phrases(std::string_view text) const override {
    const auto begin = phrase.empty() ? text.npos : text.find(phrase);
    return begin == text.npos ? std::vector<TextSpan>() : std::vector<TextSpan>{{begin, begin + phrase.size()}};
  }

 private:
  SentenceTranslation translation_of(const SentenceRequest& sentence) const {
    if (!says.empty()) return {.text = says, .links = {}, .tokens = 1};
    auto words = spaced_words(sentence.text);
    if (reorders) std::ranges::reverse(words);
    SentenceTranslation result;
    for (const auto& word : words) {
      const std::string text(word.of(sentence.text));
      const bool is_required = can_be_forced && std::ranges::any_of(sentence.required, [&](const auto& r) {
                                 return r.find(text) != r.npos;
                               });
      if (forgets_digits && text.find_first_of("0123456789") != text.npos && !is_required) continue;
      if (!result.text.empty()) result.text += ' ';
      const auto begin = result.text.size();
      for (const char c : text) result.text += static_cast<char>(is_required ? c : std::toupper(c));
      if (!blind) result.links.push_back({{begin, result.text.size()}, word});
      result.log_probability -= 1;
      ++result.tokens;
    }
    return result;
  }
};

/// Finds a sentence end at each period.
class PeriodSplitter final : public SentenceSplitter {
 public:
  std::vector<TextSpan> sentences(std::string_view text) const override {
    std::vector<TextSpan> result;
    for (std::size_t i = 0; i < text.size();) {
      while (i < text.size() && text[i] == ' ') ++i;
      if (i == text.size()) break;
      auto end = std::min(text.find('.', i), text.size() - 1) + 1;
      result.push_back({i, end});
      i = end;
      while (text[result.back().end - 1] == ' ') --result.back().end;
    }
    return result;
  }
};

class UnitTranslatorTest : public testing::Test {
 protected:
  std::string translated(const std::string& marked, SentenceMode mode = SentenceMode::kParagraph) {
    Unit unit{"unit", inline_text(marked), mode, has_placeholders_};
    const std::vector<Unit> units{unit};
    const auto results = UnitTranslator(fake_, options_).translate(units, counts_);
    EXPECT_TRUE(is_well_nested(results.at(0).target));
    links_ = results.at(0).links;
    confidence_ = results.at(0).confidence;
    return with_elements(results.at(0).target);
  }

  FakeTranslator fake_;
  UnitTranslatorOptions options_{std::make_shared<PeriodSplitter>()};
  UnitCounts counts_;
  bool has_placeholders_ = false;
  std::vector<AlignedSpan> links_;
  double confidence_ = 1;
};

TEST_F(UnitTranslatorTest, TranslatesSentencesAndKeepsWhatIsBetweenThem) {
  EXPECT_EQ(translated("  one two.  three.\n\nfour "), "  ONE TWO.  THREE.\n\nFOUR ");
  EXPECT_THAT(fake_.seen, ElementsAre("one two.", "three.", "four"));
  EXPECT_EQ(counts_.sentences, 3);
}

TEST_F(UnitTranslatorTest, ALineEndWithinASentenceHasACounterpart) {
  EXPECT_EQ(translated("one two\n  three four.", SentenceMode::kWrapped), "ONE TWO\n  THREE FOUR.");
  EXPECT_THAT(fake_.seen, ElementsAre("one two   three four."));
  fake_.says = "eins";
  EXPECT_EQ(translated("one\ntwo", SentenceMode::kWrapped), "eins\n");
  fake_.says = "一個男人騎車。";
  EXPECT_EQ(translated("one\ntwo\nthree", SentenceMode::kWrapped), "一\n個男\n人騎車。");
}

TEST_F(UnitTranslatorTest, PairsSpanSentences) {
  EXPECT_EQ(translated("a <b>b c. d</b> e."), "A <b>B C. D</b> E.");
  fake_.reorders = true;
  EXPECT_EQ(translated("a <b>b c</b> d."), "D. <b>C B</b> A");
}

TEST_F(UnitTranslatorTest, WordElementsAreTakenOutWithOneSpace) {
  EXPECT_EQ(translated("use <w/> to list"), "USE <w/> TO LIST");
  EXPECT_THAT(fake_.seen, ElementsAre("use to list"));
  EXPECT_EQ(translated("hello <w/>, you"), "HELLO <w/>, YOU");
  EXPECT_EQ(translated("<w/> files"), "<w/> FILES");
  EXPECT_EQ(translated("a <w/> <w/> b"), "A <w/> <w/> B");
  EXPECT_EQ(translated("a <b><w/></b> b"), "A <b><w/></b> B");
  EXPECT_EQ(translated("a (<w/>) b"), "A (<w/>) B");
  EXPECT_EQ(translated("with<w/>in"), "WITHIN<w/>");
  EXPECT_EQ(translated("a <w1/><w2/> b"), "A <w1/><w2/> B");
}

TEST_F(UnitTranslatorTest, LinksNameBytesOfTheUnit) {
  translated("use <w/> to");
  ASSERT_EQ(links_.size(), 2);
  EXPECT_EQ(links_[1].source, (TextSpan{5, 7})) << "the text of the unit has two spaces between use and to";
  EXPECT_EQ(links_[1].target, (TextSpan{5, 7}));
}

TEST_F(UnitTranslatorTest, PlaceholdersArePutBackInOrder) {
  has_placeholders_ = true;
  EXPECT_EQ(translated("hello {name}, you have %d new"), "HELLO {name}, YOU HAVE %d NEW");
  EXPECT_THAT(fake_.seen, ElementsAre("hello, you have new"));
  fake_.reorders = true;
  EXPECT_EQ(translated("a {x} b {y}"), "B A {x} {y}");
}

TEST_F(UnitTranslatorTest, ATagWithinAPlaceholderCutsIt) {
  has_placeholders_ = true;
  EXPECT_EQ(translated("see http://a.org/<x/>b now"), "SEE http://a.org/<x/>b NOW");
}

TEST_F(UnitTranslatorTest, TagsInTextArePairs) {
  has_placeholders_ = true;
  Unit unit{"unit", {"press <0>the key</0> now", {}}, SentenceMode::kParagraph, true};
  fake_.reorders = true;
  const auto results = UnitTranslator(fake_, options_).translate(std::vector{unit}, counts_);
  EXPECT_EQ(with_elements(results[0].target), "NOW <0>KEY THE</0> PRESS");
}

TEST_F(UnitTranslatorTest, QuantitiesStayInTheTextAndAreVerified) {
  has_placeholders_ = true;
  EXPECT_EQ(translated("run 5 km. rest"), "RUN 5 km. REST") << "the fake writes KM, so 5 km is taken out and put back";
  EXPECT_EQ(counts_.put_back, 1);
  EXPECT_EQ(translated("at 20 °C <w/> now"), "AT 20 °C <w/> NOW") << "no element is placed within a placeholder";
}

TEST_F(UnitTranslatorTest, ASentenceThatLostAQuantityIsSearchedAgain) {
  has_placeholders_ = true;
  fake_.forgets_digits = true;
  EXPECT_EQ(translated("heat to 20 °C now"), "HEAT TO 20 °C NOW");
  EXPECT_THAT(fake_.seen, ElementsAre("heat to 20 °C now", "heat to 20 °C now"));
  EXPECT_EQ(counts_.searched_again, 1);
  EXPECT_EQ(counts_.put_back, 0);
  fake_.can_be_forced = false;
  EXPECT_EQ(translated("heat to 20 °C now"), "HEAT TO 20 °C NOW");
  EXPECT_EQ(counts_.put_back, 1);
}

TEST_F(UnitTranslatorTest, AQuantityIsNoPartOfALongerNumber) {
  has_placeholders_ = true;
  fake_.forgets_digits = true;
  fake_.can_be_forced = true;
  EXPECT_EQ(translated("run 10 km or 110 km"), "RUN 10 km OR 110 km");
  EXPECT_EQ(counts_.put_back, 0);
}

TEST_F(UnitTranslatorTest, AGlossaryMayTranslateAQuantity) {
  has_placeholders_ = true;
  fake_.phrase = "5 km";
  EXPECT_EQ(translated("run 5 km now"), "RUN 5 KM NOW");
  EXPECT_EQ(counts_.put_back, 0);
}

TEST_F(UnitTranslatorTest, ASentenceMayBeginWithAPlaceholder) {
  has_placeholders_ = true;
  options_.splitter = rule_splitter("en");
  for (const std::string begin : {"{name}", "%s", "https://a.org/b", "<w/>", "a@b.org"}) {
    fake_.seen.clear();
    translated("One two. " + begin + " three four.");
    ASSERT_EQ(fake_.seen.size(), 2) << begin;
    EXPECT_EQ(fake_.seen[0], "One two.") << begin;
  }
  fake_.seen.clear();
  EXPECT_EQ(translated("Go in. <w/> and out. See it <w/>. It is."), "GO IN. <w/> AND OUT. SEE IT <w/>. IT IS.");
  translated("See the note.<w/> It is {x}. Or");
  EXPECT_THAT(fake_.seen, ElementsAre("Go in.", "and out.", "See it.", "It is.", "See the note.", "It is.", "Or"));
}

TEST_F(UnitTranslatorTest, APlaceholderIsNotGluedToAWord) {
  has_placeholders_ = true;
  fake_.reorders = true;
  EXPECT_EQ(translated("see \"{x}\" a"), "A \"{x}\" SEE");
  fake_.reorders = false;
  EXPECT_EQ(translated("({x} a b)"), "({x} A B)");
  EXPECT_EQ(translated("a=%s b"), "A=%s B");
  EXPECT_EQ(translated("x%s b"), "X%s B");
}

TEST_F(UnitTranslatorTest, WhiteSpaceBesidePlaceholdersStays) {
  has_placeholders_ = true;
  EXPECT_EQ(translated("   https://a.org/b"), "   https://a.org/b");
  EXPECT_EQ(translated("  {x} a "), "  {x} A ");
  EXPECT_EQ(translated("a {x}  "), "A {x}  ");
  EXPECT_EQ(translated("{x} <b>a</b> b"), "{x} <b>A</b> B");
  EXPECT_EQ(translated("<i>{x}</i> <b>a</b> b"), "<i>{x}</i> <b>A</b> B");
}

TEST_F(UnitTranslatorTest, TheModelGetsCapitalsInSmallLetters) {
  EXPECT_EQ(translated("A MAN, ÄPFEL <b>AND</b> I. NATO. A MAN Is. USA 5."),
            "A MAN, ÄPFEL <b>AND</b> I. NATO. A MAN IS. USA 5.");
  EXPECT_THAT(fake_.seen, ElementsAre("A man, äpfel and i.", "NATO.", "A MAN Is.", "USA 5."));
  fake_.seen.clear();
  translated("NHK と BBC です. 서울 KBS CNN. ЧЕЛОВЕК ЕДЕТ. DIE STRAßE HIER.");
  EXPECT_THAT(fake_.seen, ElementsAre("NHK と BBC です.", "서울 KBS CNN.", "Человек едет.", "Die straße hier."));
  fake_.seen.clear();
  has_placeholders_ = true;
  fake_.phrase = "NATO";
  translated("DRINK 20 MB NOW. OUR NATO DOG.");
  EXPECT_THAT(fake_.seen, Contains("Drink 20 MB now."));
  EXPECT_THAT(fake_.seen, Contains("Our NATO dog."));
  options_.changes_case = false;
  translated("ONE TWO THREE.");
  EXPECT_EQ(fake_.seen.back(), "ONE TWO THREE.");
}

TEST_F(UnitTranslatorTest, CapitalsHaveNoSharpS) {
  fake_.says = "eine straße.";
  EXPECT_EQ(translated("A BIG STREET."), "EINE STRASSE.");
}

TEST_F(UnitTranslatorTest, ASentenceWithoutTranslationStays) {
  fake_.forgets_digits = true;
  EXPECT_EQ(translated("a2 b3. one."), "a2 b3. ONE.");
  EXPECT_NEAR(confidence_, 0, 1e-9);
}

TEST_F(UnitTranslatorTest, APlaceholderBeforeAFullStopStaysThere) {
  has_placeholders_ = true;
  EXPECT_EQ(translated("one and %d. two"), "ONE AND %d. TWO");
}

TEST_F(UnitTranslatorTest, ListMarksAreNotTranslated) {
  EXPECT_EQ(translated("- one two"), "- ONE TWO");
  EXPECT_EQ(translated("  (a) one.\n• two. x) three\n12. four"), "  (a) ONE.\n• TWO. X) THREE\n12. FOUR");
  EXPECT_THAT(fake_.seen, ElementsAre("one two", "one.", "two.", "x) three", "four"));
  fake_.reorders = true;
  EXPECT_EQ(translated("<b>iv)</b> one <i>two</i>"), "<b>iv)</b> <i>TWO</i> ONE");
}

TEST_F(UnitTranslatorTest, WithoutLinksElementsHavePlacesInProportion) {
  fake_.blind = true;
  EXPECT_EQ(translated("a <b>b c</b> d<x/>. e f g <i>h</i>"), "A <b>B C</b> D<x/>. E F G <i>H</i>");
  EXPECT_EQ(translated("<b>all of it</b>"), "<b>ALL OF IT</b>");
  EXPECT_EQ(translated("a <w1/> b <w2/> c"), "A <w1/> B <w2/> C");
}

TEST_F(UnitTranslatorTest, SentencesThatDoNotFitAreCutAndJoined) {
  fake_.limit = 12;
  EXPECT_EQ(translated("one two, three four, five"), "ONE TWO, THREE FOUR, FIVE");
  EXPECT_EQ(counts_.cut, 1);
  for (const auto& part : fake_.seen) EXPECT_LE(part.size(), 12);
}

TEST_F(UnitTranslatorTest, EqualSentencesAreTranslatedOnce) {
  translated("same. same. other.");
  EXPECT_THAT(fake_.seen, ElementsAre("same.", "other."));
}

TEST_F(UnitTranslatorTest, KnownTranslationsAreUsed) {
  options_.known = [](std::string_view text) -> std::optional<std::string> {
    if (text == "Known.") return "Bekannt.";
    return {};
  };
  EXPECT_EQ(translated("Known. new."), "Bekannt. NEW.");
  EXPECT_THAT(fake_.seen, ElementsAre("new."));
  EXPECT_EQ(counts_.from_memory, 0);
  EXPECT_EQ(counts_.sentences_from_memory, 1);
  EXPECT_EQ(translated("Known."), "Bekannt.");
  EXPECT_EQ(translated("- Known."), "- Bekannt.");
  EXPECT_EQ(counts_.from_memory, 2);
  EXPECT_EQ(counts_.sentences_from_memory, 1);
  EXPECT_EQ(counts_.sentences, 4);
}

TEST_F(UnitTranslatorTest, KnownSentencesBesidePlaceholdersAreUsed) {
  has_placeholders_ = true;
  options_.known = [](std::string_view text) -> std::optional<std::string> {
    return text == "Known." ? std::optional<std::string>("Bekannt.") : std::nullopt;
  };
  EXPECT_EQ(translated("Known. see {x} now. <b>Known.</b> <i>a</i> b."),
            "Bekannt. SEE {x} NOW. <b>Bekannt.</b> <i>A</i> B.");
  EXPECT_EQ(translated("{x} Known. Known. a <w/>"), "{x} KNOWN. Bekannt. A <w/>")
      << "a memory may have the first sentence with its placeholder";
}

TEST_F(UnitTranslatorTest, TextsThatAreNotKnownAreReportedOnce) {
  std::vector<std::string> unknown;
  options_.known = [](std::string_view text) {
    return text == "Known." ? std::optional<std::string>("x") : std::nullopt;
  };
  options_.on_unknown = [&](const Unit& unit, std::string_view text) {
    unknown.push_back(unit.id + ": " + std::string(text));
  };
  translated("new.");
  EXPECT_THAT(unknown, ElementsAre("unit: new."));
  unknown.clear();
  translated("Known. new. 12");
  EXPECT_THAT(unknown, ElementsAre("unit: new.", "unit: Known. new. 12"));
  unknown.clear();
  translated("Known.");
  EXPECT_THAT(unknown, ElementsAre());
}

TEST_F(UnitTranslatorTest, ConfidenceIsTheMeanProbabilityOfTokens) {
  const std::vector<Unit> units{{"unit", inline_text("one two."), SentenceMode::kParagraph, false}};
  EXPECT_NEAR(UnitTranslator(fake_, options_).translate(units, counts_)[0].confidence, std::exp(-1), 1e-12);
}

}  // namespace
}  // namespace gloss
