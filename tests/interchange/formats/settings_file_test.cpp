#include "interchange/formats/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Fields that are texts, as YAML has them.
class TextFieldsTest : public testing::Test {
 protected:
  Json texts_ = {{"size", "512"},
                 {"share", "0.6"},
                 {"on", "True"},
                 {"off", "No"},
                 {"word", "dan"},
                 {"none", ""},
                 {"one", "7"},
                 {"list", {"1", "x"}},
                 {"nan", "nan"},
                 {"large", "9999999999999999999999"},
                 {"empty", Json::array()},
                 {"deep", {{"1"}}}};
  Json shown_ = {
      {"size", "512"},  {"share", "0.6"}, {"on", "True"},     {"off", "No"},  {"word", "dan"},
      {"none", "\"\""}, {"one", "7"},     {"list", "[1, x]"}, {"nan", "nan"}, {"large", "9999999999999999999999"},
      {"empty", "[]"},  {"deep", "[[1]]"}};
  Json read_ = Json::object();
  Refusals refusals_;
  JsonFields fields_{texts_, refusals_, shown_, read_};
};

TEST_F(TextFieldsTest, ATextIsTheNumberOrTheFlagThatItSpells) {
  EXPECT_EQ(fields_.integer("size", 1, 1000, 0), 512);
  EXPECT_EQ(fields_.number("share", 0, 1, 0), 0.6);
  EXPECT_EQ(fields_.number("size", 0, 1000, 0), 512);
  EXPECT_TRUE(fields_.flag("on", false));
  EXPECT_FALSE(fields_.flag("off", true));
  EXPECT_EQ(fields_.text("word", ""), "dan");
  EXPECT_EQ(fields_.text("size", ""), "512");
  EXPECT_THAT(fields_.texts("list"), ElementsAre("1", "x"));
  EXPECT_THAT(fields_.texts("word"), ElementsAre("dan"));
  EXPECT_THAT(fields_.integers("one"), ElementsAre(7));
  EXPECT_THAT(fields_.integers("empty"), IsEmpty());
  EXPECT_THAT(fields_.integers("missing"), IsEmpty());
  EXPECT_EQ(fields_.integer("missing", 0, 9, 5), 5);
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  EXPECT_EQ(read_, (Json{{"size", "512"},
                         {"share", "0.6"},
                         {"on", "True"},
                         {"off", "No"},
                         {"word", "dan"},
                         {"list", "[1, x]"},
                         {"one", "7"},
                         {"empty", "[]"}}));
}

TEST_F(TextFieldsTest, ValuesOfAnotherKindAreRefusedAsTheFileHasThem) {
  EXPECT_EQ(fields_.integer("word", 0, 9, 5), 5);
  EXPECT_EQ(fields_.integer("share", 0, 9, 5), 5);
  EXPECT_EQ(fields_.integer("large", 0, 9, 5), 5);
  EXPECT_EQ(fields_.integer("size", 0, 9, 5), 5);
  EXPECT_EQ(fields_.number("nan", 0, 1, 0.5), 0.5);
  EXPECT_TRUE(fields_.flag("none", true));
  EXPECT_EQ(fields_.text("list", "other"), "other");
  EXPECT_THAT(fields_.integers("list"), IsEmpty());
  EXPECT_THAT(fields_.texts("deep"), IsEmpty());
  EXPECT_THAT(
      refusals_.reasons(),
      ElementsAre("word: wanted a whole number from 0 to 9, got dan",
                  "share: wanted a whole number from 0 to 9, got 0.6",
                  "large: wanted a whole number from 0 to 9, got 9999999999999999999999",
                  "size: wanted a whole number from 0 to 9, got 512", "nan: wanted a number from 0.0 to 1.0, got nan",
                  "none: wanted true or false, got \"\"", "list: wanted a text, got [1, x]",
                  "list: wanted a list of whole numbers, got [1, x]", "deep: wanted a list of texts, got [[1]]"));
}

}  // namespace
}  // namespace gloss
