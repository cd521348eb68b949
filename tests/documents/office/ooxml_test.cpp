#include "documents/office/ooxml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/documents/model/office_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const DocumentOptions kOptions{.name = "a.pptx", .source_language = "en", .target_language = "de"};

TEST(Drawing, RunsAndBreaksAreTextAndFieldsWords) {
  const std::string slide =
      "<p:sld><a:p><a:pPr lvl=\"1\"/><a:r><a:rPr lang=\"en-US\" dirty=\"0\"/><a:t>One </a:t></a:r><a:r><a:rPr "
      "lang=\"de\"/>"
      "<a:t>text</a:t></a:r><a:br><a:rPr lang=\"en-US\"/></a:br><a:r><a:rPr b=\"1\"/><a:t>bo\tld</a:t></a:r><a:fld "
      "id=\"{1}\"><a:t>7</a:t></a:fld><a:r><a:t> end</a:t></a:r><a:endParaRPr lang=\"en\"/></a:p></p:sld>";
  const auto passage = read_drawing_part(slide, kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("One text\n[bo\rld]# end"));
  EXPECT_EQ(kept_bytes(passage), slide);
  EXPECT_EQ(
      upper_cased_bytes(passage),
      "<p:sld><a:p><a:pPr lvl=\"1\"/><a:r><a:rPr lang=\"en-US\" dirty=\"0\"/><a:t>ONE TEXT</a:t></a:r><a:br><a:rPr "
      "lang=\"en-US\" dirty=\"0\"/></a:br><a:r><a:rPr b=\"1\"/><a:t>BO</a:t></a:r><a:r><a:rPr "
      "b=\"1\"/><a:t>\t</a:t></a:r><a:r><a:rPr b=\"1\"/><a:t>LD</a:t></a:r><a:fld "
      "id=\"{1}\"><a:t>7</a:t></a:fld><a:r><a:rPr lang=\"en-US\" dirty=\"0\"/><a:t> END</a:t></a:r><a:endParaRPr "
      "lang=\"en\"/></a:p></p:sld>");
}

TEST(Drawing, CdataIsText) {
  const auto passage = read_drawing_part(
      "<s><a:p><a:r><a:t><![CDATA[A & ]]><!-- c --><![CDATA[]]>B &amp;</a:t></a:r></a:p></s>", kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("A & B &"));
  EXPECT_EQ(upper_cased_bytes(passage), kept_bytes(passage));
}

TEST(Spreadsheet, CdataIsText) {
  const auto passage =
      read_spreadsheet_part("<sst><si><t>Hello <!-- c --><![CDATA[you]]></t></si></sst>", kOptions, {});
  EXPECT_THAT(office_units(passage), ElementsAre("Hello you"));
}

TEST(Spreadsheet, StringsAreUnitsAndReadingsGo) {
  const std::string strings =
      "<sst count=\"4\"><si><t>plain &amp; text</t></si><si><t>12.5</t></si><si><r><t>one </t></r><r><rPr><b/></rPr>"
      "<t>two</t></r><rPh sb=\"0\"><t>x</t></rPh></si><si><t>Kept</t></si><si><t>line_x000D_\nend</t></si></sst>";
  const auto passage = read_spreadsheet_part(strings, kOptions, {"Kept"});
  EXPECT_THAT(office_units(passage), ElementsAre("plain & text", "one [two]", "line\nend"));
  EXPECT_EQ(kept_bytes(passage), strings);
  EXPECT_EQ(upper_cased_bytes(passage),
            "<sst count=\"4\"><si><t xml:space=\"preserve\">PLAIN &amp; TEXT</t></si><si><t>12.5</t></si><si><r><t "
            "xml:space=\"preserve\">ONE </t></r><r><rPr><b/></rPr><t>TWO</t></r></si><si><t>Kept</t></si><si><t "
            "xml:space=\"preserve\">LINE\nEND</t></si></sst>");
}

TEST(Spreadsheet, StringsInCellsAreUnitsButNotFormulas) {
  const std::string sheet =
      "<x:worksheet><x:c t=\"inlineStr\"><x:is><x:t>cell</x:t></x:is></x:c><x:c "
      "t=\"str\"><x:f>A1</x:f><x:v>value</x:v></x:c>"
      "</x:worksheet>";
  const auto passage = read_spreadsheet_part(sheet, kOptions, {});
  EXPECT_THAT(office_units(passage), ElementsAre("cell"));
  EXPECT_THAT(upper_cased_bytes(passage), testing::HasSubstr("<x:is><x:t xml:space=\"preserve\">CELL</x:t></x:is>"));
}

TEST(Spreadsheet, NumbersOfPartsAndPathsStay) {
  const auto passage = read_spreadsheet_part(
      "<sst><si><t>ID-12</t></si><si><r><t>C:\\a\\</t></r><r><t>b.txt</t></r></si><si><t>Dog</t>"
      "</si></sst>",
      kOptions, {});
  EXPECT_THAT(office_units(passage), ElementsAre("Dog"));
}

TEST(OoxmlParts, ComeFromTheContentTypes) {
  const auto read = [](const std::string& name) -> std::optional<std::string> {
    if (name == "xl/tables/t.xml")
      return "<table><tableColumns><tableColumn name=\"Two_x000a_lines\"/></tableColumns></table>";
    if (name != "[Content_Types].xml") return std::nullopt;
    const std::string begin = "\" ContentType=\"application/vnd.openxmlformats-officedocument.";
    return "<Types><Default Extension=\"xml" + begin +
           "wordprocessingml.document.main+xml\"/><Override PartName=\"/xl/s.xml" + begin +
           "spreadsheetml.sharedStrings+xml\"/><Override PartName=\"/xl/tables/t.xml" + begin +
           "spreadsheetml.table+xml\"/><Override PartName=\"/xl/styles.xml" + begin +
           "spreadsheetml.styles+xml\"/></Types>";
  };
  const auto parts = ooxml_parts(read, kOptions);
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].name, "word/document.xml");
  EXPECT_EQ(parts[1].name, "xl/s.xml");
  EXPECT_THAT(office_units(parts[1].read("<sst><si><t>Two\nlines</t></si></sst>", kOptions)), IsEmpty());
  EXPECT_THROW(ooxml_parts([](const auto&) { return std::nullopt; }, kOptions), DataError);
}

}  // namespace
}  // namespace gloss
