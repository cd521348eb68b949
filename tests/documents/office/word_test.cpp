#include "documents/office/word.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "documents/markup/xml_document.h"
#include "tests/documents/model/office_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const DocumentOptions kOptions{.name = "a.docx", .source_language = "en", .target_language = "de"};

std::string body(const std::string& content) { return "<w:document><w:body>" + content + "</w:body></w:document>"; }
std::string paragraph(const std::string& content) {
  return "<w:p><w:pPr><w:jc w:val='x'/></w:pPr>" + content + "</w:p>";
}
std::string run(const std::string& text, const std::string& properties = "") {
  return "<w:r w:rsidR=\"00A1\"><w:rPr>" + properties + "</w:rPr><w:t xml:space=\"preserve\">" + text + "</w:t></w:r>";
}
std::string field_character(const std::string& type) {
  return "<w:r><w:fldChar w:fldCharType=\"" + type + "\"/></w:r>";
}
std::string field_code(const std::string& code) { return "<w:r><w:instrText>" + code + "</w:instrText></w:r>"; }

std::vector<std::string> units_of(const std::string& content) {
  return office_units(read_word_part(body(content), kOptions));
}

TEST(Word, RunsThatLookTheSameAreOneText) {
  EXPECT_THAT(units_of(paragraph(run("He", "<w:lang w:val='en'/>") + "<w:proofErr w:type='spellStart'/>" +
                                 run("llo", "<w:noProof/>") + run(" world", "<w:rFonts w:hint=\"eastAsia\"/>"))),
              ElementsAre("Hello world"));
}

TEST(Word, OtherFormatsThanThatOfMostTextArePairs) {
  EXPECT_THAT(
      units_of(paragraph(run("A ") + run("bo", "<w:b/>") + run("ld", "<w:b/><w:lang w:val='x'/>") + run(" word here"))),
      ElementsAre("A [bold] word here"));
  EXPECT_THAT(units_of(paragraph(run("All of it is bold", "<w:b/>") + run(" no"))),
              ElementsAre("All of it is bold[ no]"));
}

TEST(Word, TextsOfLinksAndInsertionsArePairsAndDeletionsMarks) {
  EXPECT_THAT(units_of(paragraph(run("See ") + "<w:hyperlink r:id='1'>" + run("this", "<w:u/>") + "</w:hyperlink>" +
                                 "<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins>" + run(" new") +
                                 "</w:ins>" + run(" page"))),
              ElementsAre("See [this]|[ new] page"));
}

TEST(Word, FieldsAreWordsAndHyperlinkFieldsPairs) {
  const auto field = [](const std::string& code) {
    return field_character("begin") + field_code(code) + field_character("separate") + run("result") +
           field_character("end");
  };
  EXPECT_THAT(
      units_of(paragraph(run("See ") + field(" REF x ") + run(" and ") + field(" HYPERLINK \"u\" ") + run("."))),
      ElementsAre("See # and [result]."));
  EXPECT_THAT(units_of(paragraph(run("a ") + field_character("end") + run("b ") + field_character("begin") + run("c"))),
              ElementsAre("a |b |c"));
}

TEST(Word, BreaksHyphensTabsAndNotes) {
  EXPECT_THAT(units_of(paragraph("<w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>e</w:t><w:noBreakHyphen/><w:t>f"
                                 "</w:t><w:softHyphen/><w:t>g</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>" +
                                 run("h"))),
              ElementsAre("one\ntwo\re\u2011fg|h"));
  EXPECT_THAT(units_of(paragraph("<w:r><w:t>one</w:t><w:br w:type='textWrapping'/><w:t>two</w:t><w:br w:type='page'/>"
                                 "<w:t>three</w:t><w:br w:type='textWrapping' w:clear='all'/><w:t>four</w:t></w:r>")),
              ElementsAre("one\ntwo\rthree\rfour"));
}

TEST(Word, TabsEndSentencesAndKeepTheirBytes) {
  const auto tab = "<w:r><w:rPr><w:u/></w:rPr><w:tab/></w:r>";
  const auto passage = read_word_part(body(paragraph(run("one") + tab + run("two", "<w:b/>") +
                                                     "<w:r><w:ptab w:leader='dot'/></w:r>" + run("three") + tab)),
                                      kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("one\r[two]\rthree"));
  EXPECT_THAT(upper_cased_bytes(passage),
              HasSubstr("ONE</w:t></w:r>" + std::string(tab) +
                        "<w:r><w:rPr><w:b/></w:rPr><w:t>TWO</w:t></w:r><w:r>"
                        "<w:ptab w:leader='dot'/></w:r><w:r><w:rPr></w:rPr><w:t>THREE</w:t></w:r>" +
                        tab));
  const auto known = translated_bytes(passage, [](InlineText text) {  // as a memory may have it
    text.text = "eins zwei drei";
    for (auto& element : text.elements) element.offset = text.text.size();
    return text;
  });
  EXPECT_THAT(known, HasSubstr("eins zwei drei</w:t></w:r>" + std::string(tab) + "<w:r><w:ptab w:leader='dot'/>"));
}

TEST(Word, CdataIsTextAndCommentsGo) {
  const auto passage =
      read_word_part(body(paragraph("<w:r><w:t>Hello <!-- c --><![CDATA[big & &lt; ]]>world.</w:t></w:r>")), kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("Hello big & &lt; world."));
  EXPECT_THAT(upper_cased_bytes(passage), HasSubstr("<w:t>HELLO BIG &amp; &amp;LT; WORLD.</w:t>"));
}

TEST(Word, ElementsAroundAllTextStayOutside) {
  EXPECT_THAT(units_of(paragraph("<w:bookmarkStart w:id='1'/><w:hyperlink w:anchor='t'>" + run("Title") +
                                 "<w:r><w:tab/></w:r>" + field_character("begin") + field_code(" PAGEREF t ") +
                                 field_character("separate") + run("5") + field_character("end") +
                                 "</w:hyperlink><w:bookmarkEnd w:id='1'/>")),
              ElementsAre("Title"));
}

TEST(Word, ParagraphsOfTextBoxesAreUnitsOfTheirOwn) {
  const auto box = "<w:r><w:drawing><wp:anchor><w:txbxContent>" + paragraph(run("inner")) +
                   "</w:txbxContent></wp:anchor></w:drawing></w:r>";
  const auto passage = read_word_part(body(paragraph(run("outer ") + box + run("text"))), kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("outer |text", "inner"));
  const auto bytes = upper_cased_bytes(passage);
  EXPECT_THAT(bytes, HasSubstr("<w:t xml:space=\"preserve\">OUTER </w:t>"));
  EXPECT_THAT(bytes,
              HasSubstr("<w:txbxContent><w:p><w:pPr><w:jc w:val='x'/></w:pPr><w:r><w:rPr></w:rPr><w:t>INNER</w:t>"));
}

TEST(Word, TextIsWrittenInRunsWithItsFormat) {
  const auto passage =
      read_word_part(body(paragraph(run("a ") + run("b &amp; c", "<w:b/>") + run(" d e f g"))), kOptions);
  EXPECT_EQ(upper_cased_bytes(passage),
            body(paragraph("<w:r><w:rPr></w:rPr><w:t xml:space=\"preserve\">A </w:t></w:r>"
                           "<w:r><w:rPr><w:b/></w:rPr><w:t>B &amp; C</w:t></w:r>"
                           "<w:r><w:rPr></w:rPr><w:t xml:space=\"preserve\"> D E F G</w:t></w:r>")));
}

TEST(Word, ElementsFollowTheTranslation) {
  const auto passage = read_word_part(body(paragraph(run("the ") + run("red", "<w:b/>") + run(" house") +
                                                     "<w:r><w:footnoteReference w:id='9'/></w:r>" + run(" stands"))),
                                      kOptions);
  const auto bytes = translated_bytes(passage, [](const InlineText& source) {
    auto target = source;
    target.text = "la maison rouge";
    target.elements = {source.elements[2], source.elements[0], source.elements[1]};
    target.elements[0].offset = 9;
    target.elements[1].offset = 10;
    target.elements[2].offset = 15;
    target.elements[1].partner = 2;
    target.elements[2].partner = 1;
    return target;
  });
  EXPECT_EQ(bytes,
            body(paragraph("<w:r><w:rPr></w:rPr><w:t>la maison</w:t></w:r><w:r><w:footnoteReference w:id='9'/></w:r>"
                           "<w:r><w:rPr></w:rPr><w:t xml:space=\"preserve\"> </w:t></w:r>"
                           "<w:r><w:rPr><w:b/></w:rPr><w:t>rouge</w:t></w:r>")));
}

TEST(Word, PlaceholdersOfATargetAreText) {
  const auto passage = read_word_part(body(paragraph(run("go to {x} now"))), kOptions);
  const auto bytes = translated_bytes(passage, [](InlineText target) {
    target.text = "gehe zu ";
    InlineElement element;
    element.kind = InlineElement::Kind::kWord;
    element.offset = target.text.size();
    element.text = "{x}";
    target.elements = {element};
    return target;
  });
  EXPECT_THAT(bytes, HasSubstr("<w:t>gehe zu {x}</w:t>"));
}

/// Makes paragraphs of runs, containers, fields and marks in random order.
class RandomWordBody {
 public:
  explicit RandomWordBody(unsigned seed) : random_(seed) {}

  std::string paragraphs() {
    std::string result;
    for (auto count = 1 + random_() % 4; count > 0; --count) result += paragraph(content(0));
    return body(result);
  }

 private:
  std::string content(int depth) {
    static const std::vector<std::string> texts{"word", " ", "a &lt; b ", "\u00e4\u4e2d ", "Two words", "1 "};
    static const std::vector<std::string> formats{"", "", "<w:b/>", "<w:i/>", "<w:lang w:val='x'/>"};
    std::string result;
    for (auto count = random_() % 6; count > 0; --count) {
      switch (random_() % 9) {
        case 0:
          result += "<w:bookmarkStart w:id='1'/>";
          break;
        case 1:
          result += "<w:r><w:tab/><w:t>x</w:t><w:br/></w:r>";
          break;
        case 2:
          result += "<w:r><w:footnoteReference w:id='2'/></w:r>";
          break;
        case 3:
          result += field_character(std::vector<std::string>{"begin", "separate", "end"}[random_() % 3]);
          break;
        case 4:
          result += field_code(random_() % 2 == 0 ? " HYPERLINK x" : " PAGE ");
          break;
        case 5:
          if (depth < 3) result += "<w:hyperlink r:id='3'>" + content(depth + 1) + "</w:hyperlink>";
          break;
        default:
          result += run(texts[random_() % texts.size()], formats[random_() % formats.size()]);
      }
    }
    return result;
  }

  std::mt19937 random_;
};

std::size_t occurrences(std::string_view bytes, std::string_view part) {
  std::size_t count = 0;
  for (auto at = bytes.find(part); at != bytes.npos; at = bytes.find(part, at + 1)) ++count;
  return count;
}

std::string text_of(const std::string& bytes) {
  const XmlDocument xml(bytes, "test");
  std::string text;
  for (const auto& node : xml.root().select_nodes("//w:t")) text += decode_xml(node.node().child_value());
  return text;
}

TEST(Word, RandomParagraphsKeepTextAndElements) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const auto source = RandomWordBody(seed).paragraphs();
    const auto passage = read_word_part(source, kOptions);
    ASSERT_EQ(kept_bytes(passage), source);
    for (const auto& unit : passage.units) ASSERT_TRUE(is_well_nested(unit.source)) << source;
    const auto upper = upper_cased_bytes(passage);
    // Results of fields stay in lower case.
    ASSERT_EQ(upper_cased(text_of(upper)), upper_cased(text_of(source))) << source;
    for (const auto* part : {"<w:bookmarkStart", "<w:tab/>", "<w:footnoteReference", "<w:fldChar ", "<w:instrText>",
                             "<w:hyperlink ", "</w:hyperlink>", "<w:br/>", "<w:pPr>"})
      ASSERT_EQ(occurrences(upper, part), occurrences(source, part)) << part << ' ' << source;
  }
}

TEST(Word, DamagedPartsAreRefused) {
  const auto source = RandomWordBody(4).paragraphs();
  for (std::size_t size = 0; size < source.size(); ++size)
    EXPECT_THROW(read_word_part(source.substr(0, size), kOptions), DataError) << size;
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<w:ins>";
  EXPECT_THROW(read_word_part(body(paragraph(deep)), kOptions), DataError);
}

TEST(Word, LongFormatsAreComparedAndHugeOnesRefused) {
  const auto format = [](std::size_t size, char c) { return "<w:x v='" + std::string(size, c) + "'/>"; };
  EXPECT_THAT(
      units_of(paragraph(run("one ", format(500, 'a')) + run("two ", format(500, 'a')) + run("six", format(500, 'b')))),
      ElementsAre("one two [six]"));
  EXPECT_THROW(units_of(paragraph(run("one", format(70'000, 'a')))), DataError);
}

}  // namespace
}  // namespace gloss
