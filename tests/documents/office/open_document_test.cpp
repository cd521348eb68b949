#include "documents/office/open_document.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/documents/model/office_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;

const DocumentOptions kOptions{.name = "a.odt", .source_language = "en", .target_language = "de"};

std::string content(const std::string& paragraphs) {
  return "<office:document-content><office:automatic-styles>"
         "<style:style style:name=\"T1\" style:family=\"text\"><style:text-properties fo:font-weight=\"bold\" "
         "officeooo:rsid=\"1\"/></style:style>"
         "<style:style style:name=\"T2\" style:family=\"text\"><style:text-properties officeooo:rsid=\"2\" "
         "fo:language=\"en\"/></style:style>"
         "<style:style style:name=\"T3\" style:family=\"text\"><style:text-properties fo:font-weight=\"bold\"/>"
         "</style:style></office:automatic-styles><office:text>" +
         paragraphs + "</office:text></office:document-content>";
}
std::string paragraph(const std::string& text) { return "<text:p text:style-name=\"P1\">" + text + "</text:p>"; }
std::string span(int style, const std::string& text) {
  return "<text:span text:style-name=\"T" + std::to_string(style) + "\">" + text + "</text:span>";
}
std::vector<std::string> units_of(const std::string& paragraphs) {
  return office_units(read_open_document_part(content(paragraphs), kOptions));
}

TEST(OpenDocument, SpansThatLookTheSameAreOneText) {
  EXPECT_THAT(units_of(paragraph("He" + span(2, "llo") + " " + span(1, "bo") + span(3, "ld") + " text")),
              ElementsAre("Hello [bold] text"));
}

TEST(OpenDocument, WhiteSpaceIsAsOfficeShowsIt) {
  const auto source =
      content(paragraph("\n  a \n" + span(3, " b") + "<text:s text:c=\"2\"/>c<text:line-break/>d<text:tab/>e"));
  const auto passage = read_open_document_part(source, kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("a [b]  c\nd\re"));
  EXPECT_EQ(kept_bytes(passage), source);
  EXPECT_THAT(
      upper_cased_bytes(passage),
      testing::HasSubstr(paragraph("A <text:span text:style-name=\"T3\">B</text:span> <text:s/>C<text:line-break/>"
                                   "D<text:tab/>E")));
}

TEST(OpenDocument, CdataIsText) {
  const auto passage =
      read_open_document_part(content(paragraph("Hello <![CDATA[big &]]> <!-- c -->world.")), kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("Hello big & world."));
}

TEST(OpenDocument, NotesAndTextBoxesAreUnitsAndFieldsWords) {
  const auto source = content(
      "<text:tracked-changes>" + paragraph("deleted") + "</text:tracked-changes>" +
      paragraph("see <text:note><text:note-citation>1</text:note-citation><text:note-body>" + paragraph("the note") +
                "</text:note-body></text:note>page <text:page-number>3</text:page-number> of <text:a xlink:href=\"u\">"
                "this</text:a> book"));
  const auto passage = read_open_document_part(source, kOptions);
  EXPECT_THAT(office_units(passage), ElementsAre("see |page # of [this] book", "the note"));
  const auto bytes = upper_cased_bytes(passage);
  EXPECT_THAT(bytes, testing::HasSubstr(paragraph("deleted")));
  EXPECT_THAT(bytes, testing::HasSubstr("SEE <text:note><text:note-citation>1</text:note-citation><text:note-body>" +
                                        paragraph("THE NOTE") + "</text:note-body></text:note>PAGE "));
}

TEST(OpenDocument, HugeCountsOfSpacesAreMarks) {
  EXPECT_THAT(units_of(paragraph("a<text:s text:c=\"4000000000\"/>b")), ElementsAre("a|b"));
  EXPECT_THAT(units_of(paragraph("a<text:s text:c=\"-5\"/>b")), ElementsAre("a b"));
}

TEST(OpenDocument, RandomParagraphsKeepTheirElements) {
  const std::vector<std::string> pieces{"word",
                                        " two ",
                                        "<text:s/>",
                                        "<text:bookmark text:name=\"b\"/>",
                                        "<text:tab/>",
                                        "<text:line-break/>",
                                        "&amp;",
                                        "\n",
                                        "<text:date>1</text:date>"};
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (auto count = random() % 9; count > 0; --count) {
      const auto piece = pieces[random() % pieces.size()];
      const auto kind = random() % 6;
      text += kind < 3    ? span(static_cast<int>(kind) + 1, piece + pieces[random() % pieces.size()])
              : kind == 3 ? "<text:a xlink:href=\"u\">" + piece + "</text:a>"
                          : piece;
    }
    const auto source = content(paragraph(text));
    const auto passage = read_open_document_part(source, kOptions);
    ASSERT_EQ(kept_bytes(passage), source);
    if (passage.units.empty()) continue;
    const auto upper = upper_cased_bytes(passage);
    // Read again, the text is the translation. Spaces at its ends may have become elements, which are left out.
    const auto trimmed = [](const std::string& text_with_spaces) {
      const auto begin = text_with_spaces.find_first_not_of(' ');
      return text_with_spaces.substr(begin, text_with_spaces.find_last_not_of(' ') + 1 - begin);
    };
    const auto again = read_open_document_part(upper, kOptions);
    ASSERT_EQ(again.units.size(), 1) << upper;
    ASSERT_EQ(trimmed(marked_text(again.units[0].source)), trimmed(upper_cased(marked_text(passage.units[0].source))))
        << source << '\n'
        << upper;
  }
}

TEST(OpenDocument, DamagedAndEncryptedFilesAreRefused) {
  const auto source = content(paragraph("a" + span(1, "b")));
  for (std::size_t size = 0; size < source.size(); ++size)
    EXPECT_THROW(read_open_document_part(source.substr(0, size), kOptions), DataError) << size;
  const auto read = [](const auto&) { return std::optional<std::string>("<m><manifest:encryption-data/></m>"); };
  EXPECT_THROW(open_document_parts(read, kOptions), DataError);
}

}  // namespace
}  // namespace gloss
