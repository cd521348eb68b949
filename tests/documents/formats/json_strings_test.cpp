#include "documents/formats/json_strings.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const DocumentOptions kJson{"a.json", "en", "pt-BR", false};

std::string translated_json(const std::string& bytes, const FakeTranslation& fake = shouted,
                            const DocumentOptions& options = kJson) {
  return rendered_passage(read_json(bytes, options), fake);
}

std::vector<std::string> json_ids(const std::string& bytes) {
  std::vector<std::string> ids;
  for (const auto& unit : read_json(bytes, kJson).units) ids.push_back(unit.id + "=" + unit.source.text);
  return ids;
}

FakeTranslation always_json(const std::string& text) {
  return [text](const InlineText&) { return InlineText{text, {}}; };
}

std::string json_fault(const std::string& bytes) {
  try {
    (void)read_json(bytes, kJson);
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(JsonStrings, ValuesAreTranslatedAndAllElseStays) {
  EXPECT_EQ(translated_json(
                "{ \"a\" :\t\"One\",\r\n \"b\": [\"two\", 3, true, null, \"4\", \"#fff\"],\"a\":\"once more\" }\n"),
            "{ \"a\" :\t\"ONE\",\r\n \"b\": [\"TWO\", 3, true, null, \"4\", \"#fff\"],\"a\":\"ONCE MORE\" }\n");
  EXPECT_EQ(translated_json("\"text\""), "\"TEXT\"");
}

TEST(JsonStrings, IdsArePaths) {
  EXPECT_THAT(json_ids(R"({"a":{"b":["x","y",{"c":"z"}]},"":"v","d.e":"w"})"),
              ElementsAre("a.b[0]=x", "a.b[1]=y", "a.b[2].c=z", "=v", "d.e=w"));
}

TEST(JsonStrings, EscapesAreDecodedAndWritten) {
  EXPECT_THAT(json_ids(R"({"a\"b":"say \"it\"\n\u00e4\ud83d\ude00\/"})"),
              ElementsAre("a\"b=say \"it\"\n\u00e4\U0001F600/"));
  const auto rendered = translated_json(R"({"a":"x"})", always_json("\"\\\n\t\x01/\u00e4\U0001F600"));
  EXPECT_EQ(rendered, "{\"a\":\"\\\"\\\\\\n\\t\\u0001/\u00e4\U0001F600\"}");
}

TEST(JsonStrings, DocumentsWithEscapesOfAllOtherCharactersStayAscii) {
  EXPECT_EQ(translated_json(R"({"a":"x","b":"\u00e4 \u003c"})", always_json("\u00fc\U0001F600")),
            R"({"a":"\u00fc\ud83d\ude00","b":"\u00fc\ud83d\ude00"})");
  EXPECT_EQ(translated_json(R"({"b":"a \u003c"})", always_json("\u00fc")), "{\"b\":\"\u00fc\"}");
  EXPECT_EQ(translated_json("{\"a\":\"\u00e4\",\"b\":\"\\u00e4\"}", always_json("\u00fc")),
            "{\"a\":\"\u00fc\",\"b\":\"\u00fc\"}");
}

TEST(JsonStrings, ArbKeepsAttributesAndHasTheTargetLocale) {
  const std::string bytes = R"({"@@locale":"en_US","a":"One","@a":{"description":"Two","x":["Three"]},"@@x-n":"Four"})";
  EXPECT_EQ(translated_json(bytes),
            R"({"@@locale":"pt_BR","a":"ONE","@a":{"description":"Two","x":["Three"]},"@@x-n":"Four"})");
  EXPECT_EQ(translated_json(R"({"@a":"One","b":"Two"})", shouted, {"x.arb", "en", "", false}),
            R"({"@a":"One","b":"TWO"})");
  EXPECT_EQ(translated_json(R"({"@a":"One"})"), R"({"@a":"ONE"})");
}

TEST(JsonStrings, ExtensionsHaveOnlyTheirMessagesTranslated) {
  const std::string rest = R"("description":"Two","placeholders":{"name":{"content":"$1","example":"Ann"}})";
  EXPECT_EQ(translated_json("{\"a\":{\"message\":\"Hi $NAME$\"," + rest + "},\"b\":{\"message\":\"Three\"}}"),
            "{\"a\":{\"message\":\"HI $NAME$\"," + rest + "},\"b\":{\"message\":\"THREE\"}}");
  EXPECT_EQ(translated_json(R"({"a":{"message":"One"},"b":"Two","c":{"description":"Three"}})"),
            R"({"a":{"message":"ONE"},"b":"TWO","c":{"description":"THREE"}})");
}

TEST(JsonStrings, FaultsAreRefusedWithTheirLine) {
  EXPECT_THAT(json_fault("{\n\"a\": \"b\",\n}"), HasSubstr("a.json: line 3: wanted JSON"));
  EXPECT_THAT(json_fault("{\"a\": 'b'}"), HasSubstr("wanted JSON"));
  EXPECT_THAT(json_fault("{} {}"), HasSubstr("wanted JSON"));
  EXPECT_THAT(json_fault(""), HasSubstr("line 1: wanted JSON"));
  EXPECT_THAT(json_fault(std::string(257, '[') + std::string(257, ']')), HasSubstr("wanted at most 256 levels"));
  EXPECT_EQ(json_fault(std::string(256, '[') + std::string(256, ']')), "none");
  EXPECT_THAT(json_fault(std::string(5'000'000, '[')), HasSubstr("wanted at most 256 levels"));
}

TEST(JsonStrings, CutDocumentsAreRefused) {
  const std::string bytes = R"({"a":{"b":["x \u00e4\ud83d\ude00\"",1.5e3,true]},"c":"z"})";
  for (std::size_t length = 0; length < bytes.size(); ++length) EXPECT_NE(json_fault(bytes.substr(0, length)), "none");
  EXPECT_EQ(json_fault(bytes), "none");
}

TEST(JsonStrings, RandomDocumentsKeepTheirTree) {
  std::mt19937 random(11);
  const std::vector<std::string> strings{"ab", "c \\\"d\\\" \\\\", "\\n", "\u00e4 {x}", "\\u00e4\\ud83d\\ude00 e", "12",
                                         ""};
  const std::function<std::string(int)> value = [&](int depth) -> std::string {
    const auto kind = random() % (depth > 4 ? 3 : 5);
    const auto space = std::string(random() % 2, ' ');
    if (kind == 0) return std::to_string(random() % 100) + space;
    if (kind == 1) return "null" + space;
    if (kind == 2) return '"' + strings[random() % strings.size()] + '"' + space;
    std::string text = kind == 3 ? "[" : "{";
    for (std::size_t i = 0, size = random() % 5; i < size; ++i) {
      if (i > 0) text += "," + space;
      if (kind == 4) text += '"' + strings[random() % strings.size()] + std::to_string(i) + "\":" + space;
      text += value(depth + 1);
    }
    return text + (kind == 3 ? "]" : "}");
  };
  const std::function<void(json&)> shout = [&](json& node) {
    if (node.is_string() && read_json(node.dump(), kJson).units.size() == 1)
      node = shouted({node.get<std::string>(), {}}).text;
    if (node.is_structured())
      for (auto& child : node) shout(child);
  };
  for (int round = 0; round < 500; ++round) {
    const auto bytes = value(0);
    EXPECT_EQ(translated_json(bytes, unchanged), bytes);
    auto expected = json::parse(bytes);
    shout(expected);
    EXPECT_EQ(json::parse(translated_json(bytes)), expected) << bytes;
  }
}

}  // namespace
}  // namespace gloss
