#include "documents/markup/xml_document.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "documents/model/passage.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Returns the bytes of a document, put together from the ranges of its nodes.
std::string joined(const XmlDocument& document, pugi::xml_node node) {
  if (node.type() != pugi::node_element) return std::string(document.range(node).of(document.bytes()));
  std::string text(document.start_tag(node).of(document.bytes()));
  for (const auto child : node.children()) text += joined(document, child);
  return text + std::string(document.end_tag(node).of(document.bytes()));
}

auto parsing(const std::string& bytes) {
  return [bytes] { XmlDocument(bytes, "a.xml"); };
}

TEST(XmlDocument, FindsTheBytesOfEachNode) {
  const std::string bytes =
      "\xEF\xBB\xBF<?xml version='1.0' encoding=\"utf-8\"?>\r\n<!DOCTYPE  a [<!ENTITY x \"<b>\">]>\n<!--- >-->"
      "<a  b = \"x>y\" c='\"'>t &amp; &x;<?p?><?q r > s?><![CDATA[<]]]><![CDATA[]]><!----> \n<e/><f ></f\t></a >\n";
  const XmlDocument document(bytes, "a.xml");
  const auto of = [&](TextSpan span) { return std::string(span.of(bytes)); };
  std::vector<std::string> nodes;
  for (const auto node : document.root().parent().children()) nodes.push_back(of(document.range(node)));
  for (const auto node : document.root().children()) nodes.push_back(of(document.range(node)));
  EXPECT_THAT(
      nodes, ::testing::ElementsAre("<?xml version='1.0' encoding=\"utf-8\"?>", "<!DOCTYPE  a [<!ENTITY x \"<b>\">]>",
                                    "<!--- >-->", bytes.substr(bytes.find("<a "), bytes.size() - 1 - bytes.find("<a ")),
                                    "t &amp; &x;", "<?p?>", "<?q r > s?>", "<![CDATA[<]]]>", "<![CDATA[]]>", "<!---->",
                                    " \n", "<e/>", "<f ></f\t>"));
  const auto root = document.root(), e = root.child("e"), f = root.child("f");
  EXPECT_EQ(of(document.start_tag(root)), "<a  b = \"x>y\" c='\"'>");
  EXPECT_EQ(of(document.end_tag(root)), "</a >");
  EXPECT_EQ(of(*document.attribute_value(root, "b")), "x>y");
  EXPECT_EQ(of(*document.attribute_value(root, "c")), "\"");
  EXPECT_FALSE(document.attribute_value(root, "d"));
  EXPECT_TRUE(document.is_empty_tag(e));
  EXPECT_FALSE(document.is_empty_tag(f));
  EXPECT_EQ(of(document.end_tag(f)), "</f\t>");
  EXPECT_TRUE(document.content(f).empty());
  EXPECT_EQ(joined(document, root), of(document.range(root)));
}

TEST(XmlDocument, RefusesWhatIsNotXml) {
  for (const std::string bytes : {"", "text", "<a>", "<a></b>", "<a b></a>", "<a/><b/>", "<a b=\"</a>", "<a><!--</a>"})
    EXPECT_THROW(XmlDocument(bytes, "a.xml"), DataError) << bytes;
  EXPECT_THAT(parsing("<a>\n<b></a>"), ThrowsMessage<DataError>(HasSubstr("a.xml: byte ")));
  EXPECT_THAT(parsing("<a>\xFF</a>"), ThrowsMessage<DataError>(HasSubstr("UTF-8")));
  EXPECT_THAT(parsing(std::string("<a>\0</a>", 8)), ThrowsMessage<DataError>(HasSubstr("NUL")));
  EXPECT_THAT(parsing("<?xml version='1.0' encoding='latin1'?><a/>"), ThrowsMessage<DataError>(HasSubstr("latin1")));
  EXPECT_NO_THROW(parsing("<?xml version='1.0' encoding='UTF-16'?><a/>")());
}

TEST(XmlDocument, LimitsTheDepth) {
  const auto nested = [](std::size_t depth) {
    std::string bytes, end;
    for (std::size_t i = 0; i < depth; ++i) bytes += "<a>", end += "</a>";
    return bytes + end;
  };
  EXPECT_NO_THROW(parsing(nested(kMaxDepth))());
  EXPECT_THAT(parsing(nested(kMaxDepth + 1)), ThrowsMessage<DataError>(HasSubstr("within each other")));
  EXPECT_THROW(parsing(nested(1'000'000))(), DataError);
}

TEST(XmlDocument, DoesNotExpandEntities) {
  std::string bytes = "<!DOCTYPE a [<!ENTITY e0 \"laughs\">";
  for (int i = 1; i < 50; ++i) {
    const auto name = "&e" + std::to_string(i - 1) + ";";
    bytes += "<!ENTITY e" + std::to_string(i) + " \"" + name + name + name + "\">";
  }
  bytes += "]><a>&e49;</a>";
  const XmlDocument document(bytes, "a.xml");
  EXPECT_EQ(std::string(document.root().child_value()), "&e49;");
}

std::string random_element(std::mt19937& random, int depth) {
  static const char* const kParts[] = {"text",
                                       "&lt;",
                                       "<!-- <c> -->",
                                       "<![CDATA[</a>]]>",
                                       "<e/>",
                                       " \r\n\t ",
                                       "<?p x=\"?\" > ?>",
                                       "<e a='/>' b=\"\"/>",
                                       "\xC3\xA9&#x1F600;",
                                       "]]&gt;"};
  std::string result = random() % 2 ? "<a\n x='>' y = \"'\">" : "<b>";
  const std::string end = result[1] == 'a' ? "</a >" : "</b>";
  for (auto parts = random() % 5; parts > 0; --parts)
    result += depth > 0 && random() % 3 == 0 ? random_element(random, depth - 1) : kParts[random() % 10];
  return result + end;
}

TEST(XmlDocument, RangesOfRandomDocumentsJoinToTheirBytes) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const auto bytes = random_element(random, 5);
    const XmlDocument document(bytes, "a.xml");
    EXPECT_EQ(joined(document, document.root()), bytes);
  }
}

TEST(XmlDocument, ReadsOrRefusesDamagedDocuments) {
  std::mt19937 random(8);
  for (int i = 0; i < 30; ++i) {
    const auto bytes = random_element(random, 3);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(XmlDocument(std::string_view(bytes).substr(0, size), "a.xml"), DataError);
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      auto damaged = bytes;
      damaged[place] = "<>/&\"' a!?-]"[random() % 12];
      try {
        const XmlDocument document(damaged, "a.xml");
        EXPECT_EQ(joined(document, document.root()), document.range(document.root()).of(damaged)) << damaged;
      } catch (const DataError&) {
      }
    }
  }
}

TEST(DecodeXml, DecodesReferences) {
  EXPECT_EQ(decode_xml("a &amp;&lt;&gt;&quot;&apos; &#65;&#x42;&#xe9;&#x1F600;"),
            "a &<>\"' AB\xC3\xA9\xF0\x9F\x98\x80");
  for (const std::string text : {"&nbsp;", "&", "&;", "&#;", "&#x;", "&#0;", "&#1;", "&#xD800;", "&#xFFFE;",
                                 "&#x110000;", "&#-1;", "&#99999999999;", "a & b;", "&amp"})
    EXPECT_EQ(decode_xml(text), text);
}

TEST(EscapeXml, IsUndoneByDecodeXml) {
  EXPECT_EQ(escape_xml("<a b=\"'\">&amp;\n"), "&lt;a b=\"'\"&gt;&amp;amp;\n");
  EXPECT_EQ(escape_xml_attribute("<a b=\"'\">\r\n\t"), "&lt;a b=&quot;&apos;&quot;&gt;&#13;&#10;&#9;");
  const std::string text = "&lt;<>&\"'\t\r\n &#1; \xC3\xA9";
  EXPECT_EQ(decode_xml(escape_xml(text)), text);
  EXPECT_EQ(decode_xml(escape_xml_attribute(text)), text);
}

}  // namespace
}  // namespace gloss
