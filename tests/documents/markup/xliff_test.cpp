#include "documents/markup/xliff.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;
using Kind = InlineElement::Kind;

DocumentOptions to_german() {
  DocumentOptions options;
  options.name = "a.xlf";
  options.target_language = "de";
  return options;
}

/// Returns translations in capital letters, with the elements of the source.
std::vector<UnitTranslation> in_capitals(const std::vector<Unit>& units) {
  std::vector<UnitTranslation> translations;
  for (const auto& unit : units) {
    UnitTranslation translation;
    translation.target = unit.source;
    translation.confidence = 0.874;
    for (auto& c : translation.target.text)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    translations.push_back(std::move(translation));
  }
  return translations;
}

std::string translated(const std::string& bytes, const DocumentOptions& options = to_german()) {
  const auto passage = read_xliff(bytes, options);
  return passage.units.empty() ? bytes : apply_replacements(passage.bytes, passage.render(in_capitals(passage.units)));
}

std::vector<std::string> texts_of(const std::string& bytes) {
  std::vector<std::string> texts;
  for (const auto& unit : read_xliff(bytes, to_german()).units) texts.push_back(unit.source.text);
  return texts;
}

std::string version_1(const std::string& body) {
  return "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"><file original=\"a\" "
         "source-language=\"en\" target-language=\"de\" datatype=\"plaintext\"><body>" +
         body + "</body></file></xliff>";
}
std::string version_2(const std::string& body) {
  return "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" version=\"2.0\" srcLang=\"en\" trgLang=\"de\">"
         "<file id=\"f\">" +
         body + "</file></xliff>";
}
/// Returns the part of a translated body that `version_1` or `version_2` wrapped.
std::string body_of(const std::string& document, const std::string& begin, const std::string& end) {
  const auto first = document.find(begin) + begin.size();
  return document.substr(first, document.rfind(end) - first);
}
std::string body_1(const std::string& body) { return body_of(translated(version_1(body)), "<body>", "</body>"); }
std::string body_2(const std::string& body) {
  return body_of(translated(version_2(body)), "<file id=\"f\">", "</file>");
}

TEST(Xliff1, WritesTargetsWithStateAndConfidence) {
  EXPECT_EQ(body_1("<trans-unit id='1'>\n  <source>Open &amp; <g id=\"1\">read</g></source>\n"
                   "  <note>Do not touch</note>\n</trans-unit>"),
            "<trans-unit id='1'>\n  <source>Open &amp; <g id=\"1\">read</g></source>\n"
            "  <target state=\"needs-review-translation\" state-qualifier=\"leveraged-mt\">OPEN &amp; "
            "<g id=\"1\">READ</g></target><alt-trans match-quality=\"87%\" origin=\"gloss\"><target>OPEN &amp; "
            "<g id=\"1\">READ</g></target></alt-trans>\n  <note>Do not touch</note>\n</trans-unit>");
}

TEST(Xliff1, WritingOverATranslationReplacesItsProposal) {
  auto options = to_german();
  options.overwrite_translations = true;
  const auto once = translated(version_1("<trans-unit id='1'><source>Open</source><alt-trans origin=\"other\">"
                                         "<target>X</target></alt-trans></trans-unit>"),
                               options);
  EXPECT_THAT(once, HasSubstr("origin=\"gloss\""));
  EXPECT_EQ(translated(once, options), once);
}

TEST(Xliff1, ReplacesEmptyAndNewTargets) {
  const std::string written = "state=\"needs-review-translation\" state-qualifier=\"leveraged-mt\">READ</target>";
  for (const std::string target : {"<target/>", "<target></target>", "<target> \n</target>", "<target state='new'/>",
                                   "<target state=\"needs-translation\" state-qualifier='x-a'>lesen</target>"})
    EXPECT_THAT(body_1("<trans-unit id='1'><source>read</source>" + target + "</trans-unit>"),
                HasSubstr("<source>read</source><target " + written))
        << target;
  EXPECT_THAT(body_1("<trans-unit id='1'><source>read</source><target xml:lang='de' ts='\"'/></trans-unit>"),
              HasSubstr("<target xml:lang='de' ts='\"' " + written));
}

TEST(Xliff1, KeepsTranslatedUnits) {
  const std::vector<std::string> kept = {
      "<trans-unit id='1'><source>read</source><target>lesen</target></trans-unit>",
      "<trans-unit id='1'><source>read</source><target state='final'>lesen</target></trans-unit>",
      "<trans-unit id='1'><source>read</source><target state='needs-review-translation'>lesen</target></trans-unit>",
      "<trans-unit id='1' approved='yes'><source>read</source><target state='new'>lesen</target></trans-unit>",
      "<trans-unit id='1' translate='no'><source>read</source></trans-unit>",
      "<group translate='no'><group><trans-unit id='1'><source>read</source></trans-unit></group></group>",
      "<trans-unit id='1'><source>12 <x id='1'/></source></trans-unit>",
      "<trans-unit id='1'><source><mrk mtype='protected'>read</mrk></source></trans-unit>",
  };
  for (const auto& body : kept) EXPECT_EQ(translated(version_1(body)), version_1(body));
  auto options = to_german();
  options.overwrite_translations = true;
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_THAT(translated(version_1(kept[i]), options), HasSubstr("leveraged-mt\">READ</target>")) << kept[i];
  EXPECT_THAT(translated(version_1(kept[3]), options), HasSubstr("approved='no'"));
  for (std::size_t i = 4; i < kept.size(); ++i) EXPECT_EQ(translated(version_1(kept[i]), options), version_1(kept[i]));
  EXPECT_THAT(texts_of(version_1("<group translate='no'><trans-unit id='1' translate='yes'><source>read</source>"
                                 "</trans-unit></group>")),
              ElementsAre("read"));
}

TEST(Xliff1, IsNotTranslatedTwice) {
  const auto once = translated(version_1("<trans-unit id='1'><source>read <x id='1'/> it</source></trans-unit>"));
  EXPECT_TRUE(read_xliff(once, to_german()).units.empty());
}

TEST(Xliff1, TranslatesEachSegment) {
  const std::string unit =
      "<trans-unit id='1'><source>One. Two. 3</source><seg-source><g id='1'><mrk mtype=\"seg\" mid=\"0\">One.</mrk> "
      "</g><mrk mtype=\"seg\" mid=\"1\">Two.</mrk> <mrk mtype='seg' mid='2'>3</mrk></seg-source></trans-unit>";
  EXPECT_THAT(texts_of(version_1(unit)), ElementsAre("One.", "Two."));
  EXPECT_EQ(read_xliff(version_1(unit), to_german()).units[1].id, "unit 1, segment 1");
  EXPECT_THAT(
      body_1(unit),
      HasSubstr("</seg-source><target state=\"needs-review-translation\" state-qualifier=\"leveraged-mt\"><g id='1'>"
                "<mrk mtype=\"seg\" mid=\"0\">ONE.</mrk> </g><mrk mtype=\"seg\" mid=\"1\">TWO.</mrk> "
                "<mrk mtype='seg' mid='2'>3</mrk></target><alt-trans match-quality=\"87%\" origin=\"gloss\"><target>"
                "ONE.</target></alt-trans><alt-trans mid=\"1\" match-quality=\"87%\" origin=\"gloss\">"));
}

TEST(Xliff1, FillsSegmentsThatATranslationLacks) {
  EXPECT_THAT(
      body_1("<trans-unit id='1'><source>One. Two.</source><seg-source><mrk mtype='seg' mid='0'>One.</mrk> "
             "<mrk mtype='seg' mid='1'>Two <x id='1'/></mrk></seg-source><target><mrk mtype='seg' mid='0'>Eins.</mrk> "
             "<mrk mtype='seg' mid='1'/></target></trans-unit>"),
      HasSubstr("\"leveraged-mt\"><mrk mtype='seg' mid='0'>Eins.</mrk> <mrk mtype='seg' mid='1'>TWO <x id='1'/></mrk>"
                "</target><alt-trans mid=\"1\" "));
}

TEST(Xliff1, KeepsCdataAndEntities) {
  EXPECT_THAT(body_1("<trans-unit id='1'><source><![CDATA[<b>read</b> & write]]></source></trans-unit>"),
              HasSubstr("leveraged-mt\"><![CDATA[<B>READ</B> & WRITE]]></target>"));
  EXPECT_THAT(body_1("<trans-unit id='1'><source>a &app; b&#13;c &#60;d</source></trans-unit>"),
              HasSubstr("leveraged-mt\">A &app; B&#13;C &lt;D</target>"));
}

TEST(Xliff1, ALanguageThatIsNoneIsReplaced) {
  const auto with = [](const std::string& language) {
    return translated("<xliff version='1.2'><file target-language='" + language +
                      "'><body><trans-unit id='1'><source>read</source></trans-unit></body></file></xliff>");
  };
  EXPECT_THAT(with("$LANG"), HasSubstr("target-language='de'"));
  EXPECT_THAT(with(""), HasSubstr("target-language='de'"));
  EXPECT_THAT(with("de_AT"), HasSubstr("target-language='de_AT'"));
}

TEST(Xliff1, KeepsPrefixesAndSetsTheLanguage) {
  const auto text = translated(
      "<x:xliff version='1.1' xmlns:x='urn:oasis:names:tc:xliff:document:1.1'><x:file original='a'><x:body>"
      "<x:trans-unit id='1'><x:source>read</x:source></x:trans-unit></x:body></x:file></x:xliff>");
  EXPECT_THAT(text, HasSubstr("<x:file original='a' target-language=\"de\">"));
  EXPECT_THAT(text, HasSubstr("</x:source><x:target state=\"needs-review-translation\""));
  EXPECT_THAT(text, HasSubstr(">READ</x:target><x:alt-trans "));
}

TEST(Xliff1, DoesNotTranslateProposals) {
  EXPECT_THAT(texts_of(version_1("<trans-unit id='1'><source>read</source><alt-trans><source>write</source><target/>"
                                 "</alt-trans></trans-unit>")),
              ElementsAre("read"));
}

TEST(Xliff2, WritesTargetsWithStateAndConfidence) {
  EXPECT_EQ(body_2("<unit id=\"u\"><notes><note>n</note></notes><segment id='s' state='initial'>\n <source>Read "
                   "<pc id=\"1\">it</pc></source>\n</segment><ignorable><source> </source></ignorable></unit>"),
            "<unit id=\"u\"><notes><note>n</note></notes><segment id='s' state=\"initial\" subState=\"gloss:mt-87\">\n "
            "<source>Read <pc id=\"1\">it</pc></source>\n <target>READ <pc id=\"1\">IT</pc></target>\n</segment>"
            "<ignorable><source> </source></ignorable></unit>");
}

TEST(Xliff2, KeepsTranslatedSegments) {
  const auto segment = [](const std::string& attributes, const std::string& target) {
    return version_2("<unit id='u'><segment" + attributes + "><source>read</source>" + target + "</segment></unit>");
  };
  for (const std::string attributes :
       {"", " state='translated'", " state='final'", " state='initial' subState='gloss:mt-1'"})
    EXPECT_EQ(translated(segment(attributes, "<target>lesen</target>")), segment(attributes, "<target>lesen</target>"));
  EXPECT_THAT(translated(segment(" state='initial'", "<target order='1'>lesen</target>")),
              HasSubstr("<target order='1'>READ</target>"));
  EXPECT_THAT(translated(segment(" state='final'", "<target/>")), HasSubstr("<target>READ</target>"));
  const auto kept =
      version_2("<group id='g' translate='no'><unit id='u'><segment><source>read</source></segment></unit></group>");
  EXPECT_EQ(translated(kept), kept);
}

TEST(Xliff2, SetsTheLanguage) {
  const std::string unit = "<file id='f'><unit id='u'><segment><source>read</source></segment></unit></file></xliff>";
  EXPECT_THAT(translated("<xliff version='2.1' srcLang='en'>" + unit),
              HasSubstr("<xliff version='2.1' srcLang='en' trgLang=\"de\">"));
}

std::vector<Kind> kinds_of(const std::string& source) {
  std::vector<Kind> kinds;
  const auto passage = read_xliff(version_1("<trans-unit id='1'><source>" + source + "</source></trans-unit>"), {});
  EXPECT_TRUE(is_well_nested(passage.units.at(0).source));
  for (const auto& element : passage.units[0].source.elements) kinds.push_back(element.kind);
  return kinds;
}

TEST(XliffRole, PairsTagsThatMatch) {
  const auto pair = ElementsAre(Kind::kOpening, Kind::kClosing);
  const auto marks = ElementsAre(Kind::kMark, Kind::kMark);
  EXPECT_THAT(kinds_of("a <g id='1'>b</g> c"), pair);
  EXPECT_THAT(kinds_of("a <bx id='1'/>b<ex id='1'/> c"), pair);
  EXPECT_THAT(kinds_of("a <bx id='1' rid='3'/>b<ex id='2' rid='3'/> c"), pair);
  EXPECT_THAT(kinds_of("a <bpt id='1'>&lt;b></bpt>b<ept id='1'>&lt;/b></ept> c"), pair);
  EXPECT_THAT(kinds_of("a <sc id='1'/>b<ec startRef='1'/> c"), pair);
  EXPECT_THAT(kinds_of("a <sm id='1'/>b<em startRef='1'/> c"), pair);
  EXPECT_THAT(kinds_of("a <x id='START_LINK'/>b<x id='CLOSE_LINK'/> c"), pair);
  EXPECT_THAT(kinds_of("a <x id='0' equiv-text='&lt;b class=\"c\">'/>b<x id='1' equiv-text='&lt;/b>'/> c"), pair);
  EXPECT_THAT(kinds_of("a <bx id='1'/>b<ex id='2'/> c"), marks);
  EXPECT_THAT(kinds_of("a <ex id='1'/>b<bx id='1'/> c"), marks);
}

TEST(XliffRole, DoesNotLetPairsCrossElements) {
  EXPECT_THAT(kinds_of("a <bx id='1'/>b <g id='2'>c <ex id='1'/>d</g> e"),
              ElementsAre(Kind::kMark, Kind::kOpening, Kind::kMark, Kind::kClosing));
}

TEST(XliffRole, TellsWordsFromMarks) {
  for (const std::string mark : {"<x id='1'/>", "<x id='1' ctype='lb'/>", "<x id='1' equiv-text='&lt;br/>'/>",
                                 "<it id='1' pos='open'>&lt;b></it>", "<ph id='1'>&lt;hr></ph>", "<cp hex='001A'/>",
                                 "<!-- c -->", "<ph id='1' subType='xlf:lb'/>"})
    EXPECT_THAT(kinds_of("a " + mark + " b"), ElementsAre(Kind::kMark)) << mark;
  for (const std::string word :
       {"<x id='INTERPOLATION'/>", "<x id='1' equiv-text='{{name}}'/>", "<ph id='1'>%s</ph>", "<ph id='1'>{0}</ph>",
        "<ph id='1' disp='{{n}}'/>", "<x id='1' ctype='image'/>", "<ph id='1' subType='xlf:var'/>",
        "<mrk mtype='protected'>gloss</mrk>", "<mrk id='m' translate='no'>gloss</mrk>", "<y:z>w</y:z>"})
    EXPECT_THAT(kinds_of("a " + word + " b"), ElementsAre(Kind::kWord)) << word;
}

TEST(Xliff, KeepsLineEndsOfPreservedSpace) {
  const auto mode_of = [](const std::string& unit) { return read_xliff(version_1(unit), {}).units.at(0).mode; };
  EXPECT_EQ(mode_of("<trans-unit id='1'><source>a\nb</source></trans-unit>"), SentenceMode::kWrapped);
  EXPECT_EQ(mode_of("<trans-unit id='1' xml:space='preserve'><source>a\nb</source></trans-unit>"),
            SentenceMode::kParagraph);
}

TEST(Xliff, RefusesOtherDocuments) {
  for (const std::string bytes : {"<html/>", "<xliff/>", "<xliff version='3.0'/>", "<a:xliff version='1.2'/>x<b", ""})
    EXPECT_THROW(read_xliff(bytes, to_german()), DataError) << bytes;
  EXPECT_THAT([] { read_xliff("<html/>", to_german()); }, ThrowsMessage<DataError>(HasSubstr("a.xlf: wanted <xliff>")));
}

std::string random_source(std::mt19937& random, int depth) {
  static const char* const kParts[] = {"word ",
                                       "&amp;",
                                       "<x id='1'/>",
                                       "<bx id='7'/>",
                                       "<ex id='7'/>",
                                       " two. ",
                                       "<ph id='2'>%s</ph>",
                                       "<!-- c -->",
                                       "<![CDATA[& b]]>",
                                       "&foo;",
                                       "\n  ",
                                       "<it id='3' pos='open'/>",
                                       "<mrk mtype='protected'>k</mrk>"};
  std::string result;
  for (auto parts = 1 + random() % 6; parts > 0; --parts)
    result += depth > 0 && random() % 3 == 0
                  ? "<g id='" + std::to_string(random() % 9) + "'>" + random_source(random, depth - 1) + "</g>"
                  : kParts[random() % 13];
  return result;
}

/// Returns the tags and references of a piece of XML, sorted.
std::vector<std::string> markup_of(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (text[place] != '<' && !text.substr(place).starts_with("&foo;")) continue;
    const auto end = text.find(text[place] == '<' ? '>' : ';', place);
    if (!text.substr(place).starts_with("<![CDATA[")) found.push_back(text.substr(place, end + 1 - place));
  }
  std::ranges::sort(found);
  return found;
}

TEST(Xliff, KeepsTheMarkupOfRandomSources) {
  std::mt19937 random(5);
  int translations = 0;
  for (int i = 0; i < 300; ++i) {
    const auto source = random_source(random, 3);
    const std::string before = "<trans-unit id='1'><source>" + source + "</source>";
    const auto body = body_1(before + "<note>n</note></trans-unit>");
    ASSERT_TRUE(body.starts_with(before));
    if (body == before + "<note>n</note></trans-unit>") continue;
    ++translations;
    const auto target = body_of(body.substr(0, body.find("<alt-trans")), "leveraged-mt\">", "</target>");
    EXPECT_EQ(markup_of(target), markup_of(source)) << target;
    EXPECT_THAT(target, Not(HasSubstr("word")));
    EXPECT_TRUE(read_xliff(translated(version_1(body)), to_german()).units.empty());
  }
  EXPECT_GT(translations, 200);
}

TEST(Xliff, SurvivesDamage) {
  const auto bytes = version_1(
      "<trans-unit id='1'><source>One <g id='1'>two</g> &amp; <x id='2'/></source><seg-source><mrk mtype='seg' "
      "mid='1'>One</mrk></seg-source><target><mrk mtype='seg' mid='1'/></target></trans-unit>");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read_xliff(bytes.substr(0, size), to_german()), DataError);
  std::mt19937 random(6);
  for (int i = 0; i < 2000; ++i) {
    auto damaged = bytes;
    for (int change = 0; change < 3; ++change) damaged[random() % damaged.size()] = "<>/&\"' a!?-]"[random() % 12];
    try {
      translated(damaged);
    } catch (const DataError&) {
    }
  }
}

TEST(Xliff, OtherLanguagesAreRefused) {
  const auto read = [](const std::string& document) {
    return read_xliff(document, {.name = "a.xlf", .source_language = "en", .target_language = "de"});
  };
  for (const std::string other : {"srcLang='fr'", "srcLang='en' trgLang='ja'"})
    EXPECT_THROW(read("<xliff version='2.0' " + other + "/>"), DataError) << other;
  EXPECT_THROW(read("<xliff version='1.2'><file target-language='ja-JP'/></xliff>"), DataError);
  EXPECT_NO_THROW(read("<xliff version='1.2'><file source-language='en-GB' target-language='de'/></xliff>"));
}

TEST(Xliff2, NeedsATargetLanguage) {
  const std::string begin = "<xliff version='2.0' srcLang='en'", end = "</segment></unit></file></xliff>";
  EXPECT_THROW(read_xliff(begin + "><file><unit><segment><source>a</source>" + end, {"a.xlf", "", "", false}),
               DataError);
  EXPECT_NO_THROW(
      read_xliff(begin + " trgLang='de'><file><unit><segment><source>a</source>" + end, {"a.xlf", "", "", false}));
}

}  // namespace
}  // namespace gloss
