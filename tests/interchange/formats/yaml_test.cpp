#include "interchange/formats/yaml.h"

#include "tests/interchange/formats/foreign_bytes.h"

namespace gloss {
namespace {

using Kind = YamlNode::Kind;

class YamlTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_yaml()) GTEST_SKIP() << "built without yaml-cpp";
  }
  static YamlNode parse(const std::string& text, const YamlLimits& limits = {}) {
    return parse_yaml(text, "a.yml", limits);
  }
  static auto parsing(const std::string& text, const YamlLimits& limits = {}) {
    return [text, limits] { parse(text, limits); };
  }
};

TEST_F(YamlTest, ParsesMapsListsAndScalars) {
  const auto root = parse("# a comment\na: 1\nb: [x, 'it''s', \"\\u00e9\\n\"]\nc:\n  - {d: ~}\ne:\n\"f\": ''\n");
  ASSERT_EQ(root.kind, Kind::kMap);
  ASSERT_EQ(root.items.size(), 5u);
  const auto& first = root.items[0];
  EXPECT_EQ(first.key, "a");
  EXPECT_EQ(first.text, "1");
  EXPECT_FALSE(first.quoted);
  EXPECT_EQ(first.line, 2);
  const auto& list = root.items[1];
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(list.items[1].text, "it's");
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_EQ(list.items[2].text, "\u00e9\n");
  const auto& inner = root.items[2].items.at(0).items.at(0);
  EXPECT_EQ(inner.key, "d");
  EXPECT_EQ(inner.kind, Kind::kNull);
  EXPECT_EQ(inner.line, 5);
  EXPECT_EQ(root.items[3].kind, Kind::kNull);
  EXPECT_EQ(root.items[4].key, "f");
  EXPECT_EQ(root.items[4].kind, Kind::kScalar);
}

TEST_F(YamlTest, KeysMayBeLongAndLookLikeNull) {
  const std::string key(2000, 'k');
  const auto root = parse("\xef\xbb\xbf? " + key + "\n: 1\nä: 2\nnull: 3\nNULL: 4\n~: 5\nNull: 6\n\"\": 7\n");
  std::vector<std::string> keys;
  for (const auto& item : root.items) keys.push_back(item.key);
  EXPECT_THAT(keys, testing::ElementsAre(key, "ä", "null", "NULL", "~", "Null", ""));
}

TEST_F(YamlTest, NamesTheLineOfAFault) {
  EXPECT_THAT(parsing("a: 1\nb: [1, 2\n"), refuses_model("a.yml: line 3: wanted YAML, got a fault: "));
  EXPECT_THAT(parsing("a: 1\nb: 2\na: 3\n"), refuses_model("a.yml: line 3: wanted each key once, got \"a\" twice"));
  EXPECT_THAT(parsing("a: 1\n? [1, 2]\n: 3\n"),
              refuses_model("a.yml: line 2: wanted a text as key, got a list or a map"));
  EXPECT_THAT(parsing("a: 1\n: 3\n"), refuses_model("a.yml: line 2: wanted a key, got nothing"));
}

TEST_F(YamlTest, RefusesAnchorsAliasesTagsAndSeveralDocuments) {
  EXPECT_THAT(parsing("a: &x [1]\nb: *x\n"), refuses_model("a.yml: line 1: wanted no anchors (&) and aliases (*)"));
  EXPECT_THAT(parsing("a: &x 1\n"), refuses_model("wanted no anchors"));
  EXPECT_THAT(parsing("a: *x\n"), refuses_model("a.yml: line 1: "));
  EXPECT_THAT(parsing("a: !!binary abcd\n"), refuses_model("wanted no tags of types, got tag:yaml.org,2002:binary"));
  EXPECT_THAT(parsing("a: 1\n---\nb: 1\n"), refuses_model("a.yml: wanted one YAML document, got several"));
  EXPECT_THAT(parsing(""), refuses_model("a.yml: wanted a YAML document, got an empty text"));
  EXPECT_THAT(parsing("a: \xff\n"), refuses_model("a.yml: wanted YAML in UTF-8 without NUL bytes"));
  EXPECT_THAT(parsing(std::string("a: 1\n\0", 6)), refuses_model("a.yml: wanted YAML in UTF-8 without NUL bytes"));
}

TEST_F(YamlTest, KeepsToTheLimits) {
  EXPECT_NO_THROW(parse("a: [[1]]\n", {.depth = 3}));
  EXPECT_THAT(parsing("a: [[1]]\n", {.depth = 2}), refuses_model("line 1: wanted at most 2 levels, got more"));
  EXPECT_THAT(parsing("[1, 2, 3]", {.nodes = 3}), refuses_model("wanted at most 3 values, got more"));
  EXPECT_NO_THROW(parse("[1, 2]", {.nodes = 3}));
  EXPECT_THAT(parsing("[1, 2]", {.bytes = 5}), refuses_model("wanted at most 5 bytes of YAML, got 6"));
}

// yaml-cpp reads a list in brackets, and all that may be a key, to its end before it reports anything of it.
TEST_F(YamlTest, BoundsWhatIsReadAhead) {
  const auto message = "a.yml: line 1: wanted a value within 65536 bytes, got none";
  for (const auto& [start, part] : {std::pair<std::string, std::string>{"", "["},
                                    {"", "{"},
                                    {"[", "[],"},
                                    {"[", "a, "},
                                    {"'", "a "},
                                    {"", "a"},
                                    {"", "#"}}) {
    auto text = start;
    while (text.size() < 4 * kMaxYamlReadAhead) text += part;
    EXPECT_THAT(parsing(text), refuses_model(message)) << start << part;
  }
  std::string entries = "a:\n", list = "a: [";
  for (std::size_t i = 0; entries.size() < 4 * kMaxYamlReadAhead; ++i) entries += "  - " + std::to_string(i) + '\n';
  EXPECT_GT(parse(entries).items.at(0).items.size(), kMaxYamlReadAhead / 4);
  while (list.size() < kMaxYamlReadAhead / 2) list += "1, ";
  EXPECT_GT(parse(list + "1]\n").items.at(0).items.size(), kMaxYamlReadAhead / 8);
  std::string late = "a: 1\nb: 2\nc: [";
  late.append(4 * kMaxYamlReadAhead, '[');
  EXPECT_THAT(parsing(late, {.depth = 1000}), refuses_model("a.yml: line 3: wanted "));
}

// Depth is refused on the way down; yaml-cpp itself recurses.
TEST_F(YamlTest, RefusesDeepDocuments) {
  for (const std::string part : {"[", "{", "{a: ", "- ", "? ", "? - "}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    EXPECT_THROW(parse(text), ModelError) << part;
  }
  std::string indented;
  for (std::size_t i = 0; i < 1000; ++i) indented += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(parsing(indented), refuses_model("wanted at most 16 levels, got more"));
}

}  // namespace
}  // namespace gloss
