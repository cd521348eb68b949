#include "common/config/json.h"

#include <bit>
#include <ostream>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/random.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

auto refuses(const auto& matcher) { return ThrowsMessage<std::invalid_argument>(matcher); }

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

struct BadText {
  const char* name;
  std::string text;
  const char* message;  // its beginning
};

void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.name; }

class JsonRefuses : public testing::TestWithParam<BadText> {};

TEST_P(JsonRefuses, WithItsPlace) {
  EXPECT_THAT([] { parse_json(GetParam().text); }, refuses(StartsWith(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Json, JsonRefuses,
    testing::Values(
        BadText{"Empty", "", "line 1, column 1: "}, BadText{"SpacesOnly", " \n ", "line 2, column 1: "},
        BadText{"Comment", "{\n  // x\n}", "line 2, column 3: "},
        BadText{"BlockComment", "/* x */ 1", "line 1, column 1: "},
        BadText{"TrailingComma", "{\"a\": 1,}", "line 1, column 9: "},
        BadText{"TrailingBytes", "{} x", "line 1, column 4: "}, BadText{"SecondValue", "{}{}", "line 1, column 3: "},
        BadText{"NotANumber", "{\"a\": NaN}", "line 1, column 7: "},
        BadText{"Infinity", "[Infinity]", "line 1, column 2: "},
        BadText{"NumberTooLarge", "{\n\"a\": 1e999\n}", "line 2, column 11: number overflow"},
        BadText{"LeadingZero", "[01]", "line 1, column 4: "}, BadText{"SingleQuotes", "{'a': 1}", "line 1, column 2: "},
        BadText{"RawControl", "[\"a\nb\"]", "line 1, column 4: "},
        BadText{"LoneSurrogate", "[\"\\ud800\"]", "line 1, column "},
        BadText{"BadUtf8", "{\"\xc3\xa4\": \"\xff\"}", "line 1, column 8: not UTF-8"},
        BadText{"ByteOrderMark", "\xef\xbb\xbf{}", "line 1, column 1: JSON begins without a byte order mark"},
        BadText{"NulAfterTheValue", "{}\0rubbish"s, "line 1, column 3: a NUL byte"},
        BadText{"RepeatedKey", "{\"a\": 1, \"a\": 2}", "line 1, column 12: repeated key \"a\""},
        BadText{"RepeatedNestedKey", "{\"model\": {\"x\": {}, \"heads\": 1,\n \"heads\": 2}}",
                "line 2, column 8: repeated key \"model.heads\""},
        BadText{"RepeatedByEscape", "{\"a\": 1, \"\\u0061\": 2}", "line 1, column 17: repeated key \"a\""},
        BadText{"DeepArrays", repeat("[", 100'000), "line 1, column 33: nested deeper than 32 levels"},
        BadText{"DeepObjects", repeat("{\"a\":", 100'000), "line 1, column 161: nested deeper than 32 levels"},
        BadText{"DeepAndClosed", repeat("[", 100'000) + repeat("]", 100'000),
                "line 1, column 33: nested deeper than 32 levels"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(JsonTest, AcceptsAsManyLevelsAsAllowed) {
  EXPECT_NO_THROW(parse_json(repeat("[", 32) + repeat("]", 32)));
  EXPECT_THAT([] { parse_json(repeat("[", 33) + repeat("]", 33)); }, refuses(HasSubstr("deeper than 32")));
  EXPECT_NO_THROW(parse_json("[[]]", 2));
  EXPECT_THAT([] { parse_json("[[[]]]", 2); }, refuses(HasSubstr("deeper than 2")));
}

TEST(JsonTest, TheSameKeyMayStandInDifferentObjects) {
  EXPECT_EQ(parse_json("[{\"a\": {\"a\": 1}}, {\"a\": 2}]")[0]["a"]["a"], 1);
}

TEST(JsonTest, EveryKindOfValueArrives) {
  const auto value =
      parse_json(R"({"a": [null, true, -1, 18446744073709551615, 2.5, "x", {}, [[]]], "b": {"c": false}})");
  EXPECT_EQ(value, Json({{"a", {nullptr, true, -1, 18446744073709551615U, 2.5, "x", Json::object(), {Json::array()}}},
                         {"b", {{"c", false}}}}));
  EXPECT_EQ(parse_json(" 3 "), 3);
}

TEST(JsonTest, MessagesAreOnePrintableLine) {
  EXPECT_THAT([] { parse_json("[\"" + std::string(10'000, 'x') + "\x1b[31m\n\"]"); },
              refuses(testing::AllOf(testing::Not(HasSubstr("\x1b")), testing::Not(HasSubstr("\n")),
                                     testing::SizeIs(testing::Lt(400U)))));
}

TEST(JsonTest, TextIsSortedAndOnOneLine) {
  const auto value = parse_json("{\"b\": [1, 2.5, \"x\\ny\"],\n \"a\": null}");
  EXPECT_EQ(to_text(value), R"({"a":null,"b":[1,2.5,"x\ny"]})");
  EXPECT_EQ(value_text(value), to_text(value));
  EXPECT_EQ(value_text("x\"y"), "x\"y");
  EXPECT_EQ(to_pretty_text(parse_json("{\"a\": {}}")), "{\n  \"a\": {}\n}\n");
}

TEST(JsonTest, TextHasNoLineEndsOfOtherPrograms) {
  const Json value = {{"a\u2028", "b\u2029\u0085\u2028c\v"}};
  EXPECT_EQ(to_text(value), R"({"a\u2028":"b\u2029\u0085\u2028c\u000b"})");
  EXPECT_EQ(parse_json(to_pretty_text(value)), value);
}

TEST(JsonTest, BrokenTextIsReplacedWhenWritten) {
  EXPECT_EQ(to_text("a\xff"
                    "b"),
            "\"a\ufffdb\"");
}

TEST(JsonTest, DoublesReadBackEqualAndAreShort) {
  EXPECT_EQ(to_text(0.1), "0.1");
  const RandomStream random(1, "json");
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random.below(0x7ff0000000000000U, i));  // every finite positive double
    ASSERT_EQ(parse_json(to_text(value)).get<double>(), value);
  }
}

// Each value takes up to 150 bytes of memory, but two in the text.
TEST(JsonTest, RefusesMoreValuesThanItsLimit) {
  const auto refuses_more = refuses(HasSubstr("more than 10 values"));
  const auto parse = [](const std::string& text) { return [text] { parse_json(text, JsonLimits{.values = 10}); }; };
  EXPECT_NO_THROW(parse("[" + repeat("{},", 8) + "\"a\"]")());
  EXPECT_THAT(parse("[" + repeat("{},", 9) + "\"a\"]"), refuses_more);
  EXPECT_THAT(parse("[" + repeat("[],", 9) + "{\"a\": 1}]"), refuses_more);
  EXPECT_NO_THROW(parse("[" + repeat("1,", 78) + "null]")());
  EXPECT_THAT(parse("[" + repeat("1,", 79) + "null, null]"), refuses_more);
}

}  // namespace
}  // namespace gloss
