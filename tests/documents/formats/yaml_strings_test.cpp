#include "documents/formats/yaml_strings.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "common/error.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const DocumentOptions kYaml{"a.yml", "en", "de", false};

std::string translated_yaml(const std::string& bytes, const FakeTranslation& fake = shouted,
                            const DocumentOptions& options = kYaml) {
  return rendered_passage(read_yaml(bytes, options), fake);
}

FakeTranslation always_yaml(const std::string& text) {
  return [text](const InlineText&) { return InlineText{text, {}}; };
}

std::string yaml_fault(const std::string& bytes) {
  try {
    (void)read_yaml(bytes, kYaml);
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(YamlStrings, ValuesAreTranslatedAndAllElseStays) {
  EXPECT_EQ(
      translated_yaml("# comment\nx: &top\n  a: one  # two\n  'b' : 'it''s'\n  \"c\": \"say \\\"so\\\"\"\n"
                      "y:\n  <<: *top\n  list: [ red, 'green', 3 ]\n  map: {k: blue, l: *top}\n"
                      "  n: ~\n  t: yes\n  f: 0x1F\n  d: 2001-01-01\n  tag: !mine text\n  s: !!str &q string\n  e:\n"
                      "? complex\n: - item\n"),
      "# comment\nx: &top\n  a: ONE  # two\n  'b' : 'IT''S'\n  \"c\": \"SAY \\\"SO\\\"\"\n"
      "y:\n  <<: *top\n  list: [ RED, 'GREEN', 3 ]\n  map: {k: BLUE, l: *top}\n"
      "  n: ~\n  t: yes\n  f: 0x1F\n  d: 2001-01-01\n  tag: !mine text\n  s: !!str &q STRING\n  e:\n"
      "? complex\n: - ITEM\n");
}

TEST(YamlStrings, IdsArePaths) {
  std::vector<std::string> ids;
  for (const auto& unit : read_yaml("a:\n  b:\n  - x\n  - c: v\n? [k, l]\n: z\n", kYaml).units)
    ids.push_back(unit.id + "=" + unit.source.text);
  EXPECT_THAT(ids, ElementsAre("a.b[0]=x", "a.b[1].c=v", "=z"));
}

TEST(YamlStrings, TheTopLevelLanguageIsReplaced) {
  EXPECT_EQ(translated_yaml("en:\n  a: One\n"), "de:\n  a: ONE\n");
  EXPECT_EQ(translated_yaml("\"en\":\n  a: One\n", shouted, {"a.yml", "en", "no", false}), "\"no\":\n  a: ONE\n");
  EXPECT_EQ(translated_yaml("en:\n  a: One\n", shouted, {"a.yml", "en", "no", false}), "\"no\":\n  a: ONE\n");
  EXPECT_EQ(translated_yaml("pt_BR:\n  a: One\n", shouted, {"a.yml", "pt-BR", "de", false}), "de:\n  a: ONE\n");
  EXPECT_EQ(translated_yaml("en:\n  a: One\nfr:\n  a: Un\n"), "en:\n  a: ONE\nfr:\n  a: UN\n");
  EXPECT_EQ(translated_yaml("fr:\n  en: One\n"), "fr:\n  en: ONE\n");
}

TEST(YamlStrings, PlainTextIsQuotedIfItMustBe) {
  for (const auto* text :
       {"a: b", "a #b", "- a", "yes", "No", "null", "3", "# a", "a:", "\u2028a", "'a'", "{a}", "%a", "a\nb", "@a"}) {
    const auto output = translated_yaml("k: text\n", always_yaml(text));
    EXPECT_THAT(output, HasSubstr("k: \""));
    EXPECT_EQ(YAML::Load(output)["k"].as<std::string>(), text);
  }
  for (const auto* text : {"a, b", "it's \"so\"", "a:b", "a#b", "\u00fc - a", "yes, it is"})
    EXPECT_EQ(translated_yaml("k: text # c\n", always_yaml(text)), "k: " + std::string(text) + " # c\n");
  EXPECT_EQ(translated_yaml("k: [text]\n", always_yaml("a, b")), "k: [\"a, b\"]\n");
  EXPECT_EQ(translated_yaml("k: 'text'\n", always_yaml("a\n'b'")), "k: \"a\\n'b'\"\n");
}

TEST(YamlStrings, ScalarsOfSeveralLinesAreReplaced) {
  EXPECT_EQ(
      translated_yaml("a: one\n  two\n\n  three\nb: 'four\n  five'\nc: \"six \\\n  seven\"\nd: eight\n", unchanged),
      "a: one\n  two\n\n  three\nb: 'four\n  five'\nc: \"six \\\n  seven\"\nd: eight\n");
  EXPECT_EQ(translated_yaml("a: one\n  two\nb: 'four\n  five'\nc: \"six \\\n  seven\"\nd: eight\n"),
            "a: ONE TWO\nb: 'FOUR FIVE'\nc: \"SIX SEVEN\"\nd: EIGHT\n");
}

TEST(YamlStrings, BlocksKeepTheirStyle) {
  EXPECT_EQ(translated_yaml("a: |-  # c\n    one\n\n      two\n    three  \nb: >+\n  four\n  five\n\n  six\n\n\n"),
            "a: |-  # c\n    ONE\n\n      TWO\n    THREE  \nb: >+\n  FOUR FIVE\n\n  SIX\n\n\n");
  EXPECT_EQ(translated_yaml("c: |\r\n  x\r\n\r\n  z\r\n"), "c: |\r\n  X\r\n\r\n  Z\r\n");
  EXPECT_EQ(translated_yaml("a: |2\n    one\nb: >\n  one\n    two\nc: three\n"),
            "a: |2\n    one\nb: >\n  one\n    two\nc: THREE\n");
  for (const auto* style : {"|", ">", "|-", ">-", "|+", ">+"}) {
    const auto bytes = "k: " + std::string(style) + "\n  text\n\nl: x y\n";
    const auto before = YAML::Load(bytes)["k"].as<std::string>();
    const auto after = YAML::Load(translated_yaml(bytes, always_yaml("a\n\nb: c\n# d\nf")))["k"].as<std::string>();
    EXPECT_EQ(after, "a\n\nb: c\n# d\nf" + before.substr(4)) << style;
  }
}

TEST(YamlStrings, FaultsAreRefusedWithTheirLine) {
  EXPECT_THAT(yaml_fault("a: b\n c: d\n"), HasSubstr("a.yml: line 2: wanted YAML"));
  EXPECT_THAT(yaml_fault("- [a, b\n"), HasSubstr("wanted YAML"));
  for (const auto* opening : {"- ", "? ", "[", "{a: ", "[["}) {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += opening;
    EXPECT_NE(yaml_fault(deep), "none") << opening;
  }
  EXPECT_THAT(yaml_fault(std::string(9 << 20, '#')), HasSubstr("wanted YAML of at most 8"));
}

TEST(YamlStrings, CutDocumentsAreReadOrRefused) {
  const std::string bytes =
      "en:\n  a: &x \"b \\u00e4\"\n  c: 'd''e'\n  f: |\n    g\n\n    h\n  i: {j: k, l: [m]}\n  n: *x\n--- !t\n- >-\n "
      "o\n";
  for (std::size_t length = 0; length < bytes.size(); ++length)
    if (const auto cut = bytes.substr(0, length); yaml_fault(cut) == "none") {
      auto output = translated_yaml(cut, unchanged);
      if (output.starts_with("de:")) output.replace(0, 2, "en");
      EXPECT_EQ(output, cut);
      EXPECT_EQ(yaml_fault(translated_yaml(cut)), "none") << cut;
    }
}

/// Returns a value of random styles; `indent` is that of its children.
std::string random_yaml(std::mt19937& random, int indent) {
  const auto pick = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  switch (random() % (indent > 8 ? 6 : 8)) {
    case 0:
      return " " + pick({"ab cd", "ef\n" + margin + "gh", "12", "yes", "~", "a-b:c", "x # y", "*top", "&a1 word"}) +
             "\n";
    case 1:
      return " 'it''s " + pick({"me", "- : #", "\n" + margin + "two"}) + "'\n";
    case 2:
      return " \"say \\\"x\\\" " + pick({"\\u00e4", "\\\n" + margin + "two", "{n}"}) + "\" # c\n";
    case 3:
      return " " + pick({"|", "|-", "|+"}) + "\n" + margin + "one\n" + pick({"", "\n", margin + "  two\n"}) + margin +
             "three\n";
    case 4:
      return " " + pick({">", ">-", ">+"}) + "\n" + margin + "one\n" + margin + "two\n\n" + margin + "three\n\n";
    case 5:
      return " [ab, 'cd', {k: \"ef\", l: 1}, [gh]]\n";
    default:
      std::string text = "\n";
      const bool is_list = random() % 2 == 0;
      for (std::size_t i = 0, size = 1 + random() % 4; i < size; ++i)
        text += margin + (is_list ? "-" : "key" + std::to_string(i) + ":") + random_yaml(random, indent + 2);
      return text;
  }
}

/// Returns the structure of a document, with texts in upper case.
std::string structure_of(const YAML::Node& node) {
  std::string text = std::to_string(static_cast<int>(node.Type())) + node.Tag();
  if (node.IsScalar()) return text + shouted({node.Scalar(), {}}).text;
  for (const auto& child : node)
    text += node.IsMap() ? "<" + child.first.Scalar() + "=" + structure_of(child.second) + ">"
                         : "<" + structure_of(child) + ">";
  return text;
}

TEST(YamlStrings, RandomDocumentsKeepTheirTree) {
  std::mt19937 random(5);
  int read = 0;
  for (int round = 0; round < 500; ++round) {
    const auto bytes = "top: &top text\nroot:" + random_yaml(random, 2);
    EXPECT_EQ(translated_yaml(bytes, unchanged), bytes);
    const auto output = translated_yaml(bytes);
    EXPECT_EQ(structure_of(YAML::Load(output)), structure_of(YAML::Load(bytes))) << bytes << "\n=>\n" << output;
    read += output != bytes ? 1 : 0;
  }
  EXPECT_GT(read, 400);
}

}  // namespace
}  // namespace gloss
