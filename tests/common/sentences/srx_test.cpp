#include "common/sentences/srx.h"

#include <cstddef>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string rule(std::string_view breaks, std::string_view before, std::string_view after) {
  return "<rule break=\"" + std::string(breaks) + "\"><beforebreak>" + std::string(before) +
         "</beforebreak><afterbreak>" + std::string(after) + "</afterbreak></rule>\n";
}

std::string group(std::string_view name, std::string_view rules) {
  return "<languagerule languagerulename=\"" + std::string(name) + "\">" + std::string(rules) + "</languagerule>\n";
}

std::string map(std::string_view pattern, std::string_view name) {
  return "<languagemap languagepattern=\"" + std::string(pattern) + "\" languagerulename=\"" + std::string(name) +
         "\"/>\n";
}

std::string srx(std::string_view cascade, std::string_view groups, std::string_view maps) {
  return "<?xml version=\"1.0\"?>\n<srx xmlns=\"http://www.lisa.org/srx20\" version=\"2.0\">\n"
         "<header segmentsubflows=\"yes\" cascade=\"" +
         std::string(cascade) + "\"><formathandle type=\"start\" include=\"no\"/></header>\n<body><languagerules>" +
         std::string(groups) + "</languagerules><maprules>" + std::string(maps) + "</maprules></body></srx>\n";
}

class SrxTest : public ::testing::Test {
 protected:
  std::filesystem::path write(std::string_view text) const {
    const auto file = folder_ / "rules.srx";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::shared_ptr<const SentenceSplitter> splitter(std::string_view text, std::string_view language = "en") const {
    return srx_splitter(write(text), language);
  }
  /// Returns the splitter with rules for every language.
  std::shared_ptr<const SentenceSplitter> with_rules(std::string_view rules) const {
    return splitter(srx("no", group("All", rules), map(".*", "All")));
  }
  std::vector<std::string> split(std::string_view rules, std::string_view paragraph) const {
    return sentences(*with_rules(rules), paragraph);
  }
  static std::vector<std::string> sentences(const SentenceSplitter& splitter, std::string_view paragraph) {
    std::vector<std::string> texts;
    for (const auto& span : splitter.sentences(paragraph)) texts.emplace_back(span.of(paragraph));
    return texts;
  }
  std::string error_of(std::string_view text, std::string_view language = "en") const {
    try {
      splitter(text, language);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

const auto kFullStop = rule("yes", "[.?!]+", "\\s");

TEST_F(SrxTest, TheFirstRuleOfAPlaceDecides) {
  EXPECT_THAT(split(rule("no", "Mr\\.", "\\s") + kFullStop, "Mr. Hall left. He ran."),
              ElementsAre("Mr. Hall left.", "He ran."));
  EXPECT_THAT(split(kFullStop + rule("no", "Mr\\.", "\\s"), "Mr. Hall left."), ElementsAre("Mr.", "Hall left."));
  EXPECT_THAT(split(rule("yes", "Mr\\.", "\\sH") + rule("no", "Mr\\.", "\\s") + kFullStop, "Mr. Hall. Mr. Ball."),
              ElementsAre("Mr.", "Hall.", "Mr. Ball."));
}

TEST_F(SrxTest, AnExceptionMatchesAnyTextThatEndsAtThePlace) {
  EXPECT_THAT(split(rule("no", "etc\\.\\s*", "") + kFullStop, "Tea etc. was had. It was hot."),
              ElementsAre("Tea etc. was had.", "It was hot."));
  EXPECT_THAT(split(rule("no", "\\(.*?\\.", "") + kFullStop, "A. (B. C. D. E"), ElementsAre("A.", "(B. C. D. E"));
  EXPECT_THAT(split(rule("no", "a\\.|b\\. a\\.", "\\sX") + kFullStop, "b. a. X"), ElementsAre("b.", "a. X"));
}

TEST_F(SrxTest, RulesSeeTheTextAroundTheirPlace) {
  const auto rules = rule("no", "^\\d+\\.", "\\s") + rule("no", "\\bp\\.", "(?=\\s\\d).") + kFullStop;
  EXPECT_THAT(split(rules, "1. See p. 12. See up. 13 of 2. End"),
              ElementsAre("1. See p. 12.", "See up.", "13 of 2.", "End"));
  const auto filler = std::string(2000, 'x');
  EXPECT_THAT(split(rules, "1. " + filler + " 3. End"), ElementsAre("1. " + filler + " 3.", "End"));
  EXPECT_THAT(split(rule("no", "&lt;[^>]*\\.", "") + kFullStop, "<a. b> c. d"), ElementsAre("<a. b> c.", "d"));
}

TEST_F(SrxTest, WhiteSpaceBetweenSentencesIsInNone) {
  EXPECT_THAT(split(rule("yes", "\\.\\s+", ""), "  A.   B.\t\n C.\u00a0 "), ElementsAre("A.", "B.", "C."));
  EXPECT_THAT(split(rule("yes", "\\.", "\\s") + rule("yes", "\\s", ""), "A.   B"), ElementsAre("A.", "B"));
  EXPECT_THAT(split(kFullStop, ""), IsEmpty());
  EXPECT_THAT(split(kFullStop, " \t\u3000"), IsEmpty());
}

TEST_F(SrxTest, OffsetsAreThoseOfBytes) {
  EXPECT_THAT(split(rule("yes", "[。！？]+", "") + kFullStop, "好😀。再见！！😀😀. é́. Ω"),
              ElementsAre("好😀。", "再见！！", "😀😀.", "é́.", "Ω"));
}

TEST_F(SrxTest, ACascadeTakesTheRulesOfAllMaps) {
  const auto groups =
      group("English", rule("no", "Mr\\.", "")) + group("German", rule("no", "Hr\\.", "")) + group("All", kFullStop);
  const auto maps = map("EN.*", "English") + map("de(-.*)?", "German") + map(".*", "All");
  const std::string_view text = "Mr. Hr. Ox.";
  EXPECT_THAT(sentences(*splitter(srx("yes", groups, maps), "en-US"), text), ElementsAre("Mr. Hr.", "Ox."));
  EXPECT_THAT(sentences(*splitter(srx("yes", groups, maps), "de"), text), ElementsAre("Mr.", "Hr. Ox."));
  EXPECT_THAT(sentences(*splitter(srx("yes", groups, maps), "den"), text), ElementsAre("Mr.", "Hr.", "Ox."));
  EXPECT_THAT(sentences(*splitter(srx("yes", groups, maps), ""), text), ElementsAre("Mr.", "Hr.", "Ox."));
  EXPECT_THAT(sentences(*splitter(srx("no", groups, map(".*", "All") + maps), "en"), text),
              ElementsAre("Mr.", "Hr.", "Ox."));
  EXPECT_THAT(error_of(srx("no", groups, maps), "en"), HasSubstr("no rule with break=\"yes\""));
}

TEST_F(SrxTest, ReadsVersionOne) {
  const auto text = "<srx version=\"1.0\"><header segmentsubflows=\"yes\"/><body><languagerules>" +
                    group("All", kFullStop) + "</languagerules><maprules><maprule maprulename=\"m\">" +
                    map(".*", "All") + "</maprule></maprules></body></srx>";
  EXPECT_THAT(sentences(*splitter(text), "A. B."), ElementsAre("A.", "B."));
}

TEST_F(SrxTest, ReadsTheTextOfRules) {
  EXPECT_THAT(split("<rule><beforebreak><![CDATA[<b>]]>&amp;<!-- c -->x</beforebreak></rule>", "a<b>&xc"),
              ElementsAre("a<b>&x", "c"));
  EXPECT_THAT(split("<rule><beforebreak>;</beforebreak><afterbreak> </afterbreak></rule>", "a;b; c"),
              ElementsAre("a;b;", "c"));
  EXPECT_THAT(split("<rule break=\"no\"><afterbreak>\\sc</afterbreak></rule>" + kFullStop, "a. b. c"),
              ElementsAre("a.", "b. c"));
}

// The sentences were made by choppa-srx 1.0.0 (Python), and by the Java library segment 2.0.4, of which it is a port.
TEST_F(SrxTest, SplitsAsOtherPrograms) {
  const auto rules = with_rules(rule("no", "\\b(Dr|Mr|Mrs|vs|etc|e\\.g|i\\.e|p|No)\\.\\s", "") +
                                rule("no", "\\b[A-Z]\\.\\s", "\\p{Lu}") + rule("no", "[.?!][\"')]+\\s", "\\p{Ll}") +
                                rule("no", "\\d+\\.\\s", "\\p{Ll}") + rule("no", "\\.\\.\\.\\s", "\\p{Ll}") +
                                rule("yes", "[.?!…]+[\"')\\]]*\\s+", "") + rule("yes", "\\n{2,}", ""));
  EXPECT_THAT(sentences(*rules, "Dr. Ott saw Mr. Li. They met at No. 5."),
              ElementsAre("Dr. Ott saw Mr. Li.", "They met at No. 5."));
  EXPECT_THAT(sentences(*rules, "\"Stop!\" he said. \"Why?\" Nobody knew."),
              ElementsAre("\"Stop!\" he said.", "\"Why?\"", "Nobody knew."));
  EXPECT_THAT(sentences(*rules, "J. K. Rowe wrote it... and left. (See p. 4.) Done?! Yes…  No."),
              ElementsAre("J. K. Rowe wrote it... and left.", "(See p. 4.)", "Done?!", "Yes…", "No."));
  EXPECT_THAT(sentences(*rules, "Am 3. oktober kam er. Am 4. Oktober nicht."),
              ElementsAre("Am 3. oktober kam er.", "Am 4.", "Oktober nicht."));
  EXPECT_THAT(sentences(*rules, "Tea, milk, etc. Are you in? version 2.0.1 of a.b.c is out.\n\nEnd"),
              ElementsAre("Tea, milk, etc. Are you in?", "version 2.0.1 of a.b.c is out.", "End"));
}

TEST_F(SrxTest, RulesThatReachFarWorkOnLongParagraphs) {
  std::string paragraph;
  for (int i = 0; i < 5000; ++i) paragraph += "some word a. ";
  const auto found = split(rule("no", "\\p{Ll}.*", "\\sx") + rule("no", "o.*q", "") + kFullStop, paragraph);
  EXPECT_EQ(found.size(), 5000u);
}

TEST_F(SrxTest, SentencesAreAscendingAndOnlyWhiteSpaceIsBetweenThem) {
  const auto rules = with_rules(rule("no", "b[.]", "") + rule("no", "^\\W*", "a") + kFullStop + rule("yes", "。", "") +
                                rule("yes", "\\s", "😀") + rule("yes", "", "b"));
  std::mt19937 random(7);
  const std::vector<std::string> signs{"a", "b", ".", "?", " ", " ", "\u00a0", "。", "😀", "\n", "é"};
  std::size_t count = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::string text;
    for (auto length = random() % 60; length > 0; --length) text += signs[random() % signs.size()];
    std::size_t last = 0;
    const auto is_all_space = [&](std::size_t begin, std::size_t end) {
      bool all = true;
      for_each_character(std::string_view(text).substr(begin, end - begin),
                         [&](auto value, auto) { all = all && value && is_white_space(*value); });
      return all;
    };
    for (const auto& span : rules->sentences(text)) {
      ++count;
      ASSERT_LE(last, span.begin);
      ASSERT_TRUE(is_all_space(last, span.begin)) << text;
      ASSERT_FALSE(span.empty());
      ASSERT_FALSE(is_white_space(decode_utf8(text, span.begin).value.value()));
      ASSERT_FALSE(is_white_space(decode_utf8(text, last_character(text.substr(0, span.end))).value.value()));
      last = span.end;
    }
    ASSERT_TRUE(is_all_space(last, text.size())) << text;
  }
  EXPECT_GT(count, 2000u);
}

TEST_F(SrxTest, ThreadsShareASplitter) {
  const auto rules = with_rules(rule("no", "Mr\\.", "\\s") + kFullStop);
  std::vector<std::size_t> counts(4);
  {
    std::vector<std::jthread> threads;
    for (auto& count : counts)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) count += rules->sentences("Mr. Hall left. He ran. Mr. Ball too.").size();
      });
  }
  EXPECT_THAT(counts, ::testing::Each(600u));
}

TEST_F(SrxTest, ARuleWithTooManyStepsIsAnErrorNamingIt) {
  const auto text = std::string(5000, 'a') + ". b. c";
  for (const auto& slow : {rule("yes", "(a|a)*(a|a)*(a|a)*x", ""), rule("no", "(a|a)*x", "")}) {
    const auto rules = with_rules(kFullStop + slow + slow);
    const auto failing = with_rules(slow + kFullStop);
    EXPECT_THAT([&] { failing->sentences(text); }, ::testing::ThrowsMessage<DataError>(AllOf(
                                                       HasSubstr("rules.srx: rule 1 of All"), HasSubstr("simplify"))));
  }
}

TEST_F(SrxTest, WrongFilesAreErrors) {
  EXPECT_THROW(srx_splitter(folder_ / "missing.srx", "en"), DataError);
  EXPECT_THROW(srx_splitter(folder_.path(), "en"), DataError);
  EXPECT_THAT(error_of(""), HasSubstr("wanted SRX 2.0"));
  EXPECT_THAT(error_of("<html/>"), HasSubstr("wanted SRX 2.0"));
  EXPECT_THAT(error_of(srx("no", group("All", kFullStop), map(".*", "Al\x1bl"))),
              AllOf(HasSubstr("wanted a languagerule \"Al"), ::testing::Not(HasSubstr("\x1b"))));
  EXPECT_THAT(error_of(srx("no", group("All", kFullStop), map("(", "All"))), HasSubstr("languagepattern"));
  EXPECT_THAT(error_of(srx("no", group("All", kFullStop), map("de", "All"))), HasSubstr("language \"en\""));
  EXPECT_THAT(error_of(srx("no", group("All", kFullStop + rule("yes", "[a", "")), map("en", "All"))),
              AllOf(HasSubstr("rule 2 of All"), HasSubstr("[a"), HasSubstr("U_REGEX")));
  EXPECT_THAT(error_of(srx("no", group("All", kFullStop + rule("maybe", "a", "")), map("en", "All"))),
              AllOf(HasSubstr("rule 2 of All"), HasSubstr("maybe")));
  EXPECT_THAT(error_of(srx("no", group("All", kFullStop + rule("no", "a\xff", "")), map("en", "All"))),
              HasSubstr("rule 2 of All"));
  EXPECT_THAT(error_of("<srx><header><okpsrx:options useIcu4jBreakRules=\"yes\"/></header><body/></srx>"),
              HasSubstr("useIcu4jBreakRules"));
}

TEST_F(SrxTest, HostileFilesAreErrors) {
  std::string rules;
  for (int i = 0; i < 20'001; ++i) rules += "<rule/>";
  EXPECT_THAT(error_of(srx("no", group("All", rules), map("en", "All"))), HasSubstr("at most 20,000 rules"));
  EXPECT_THAT(error_of(std::string((16 << 20) + 1, ' ')), HasSubstr("at most 16 MiB"));
  for (const std::string_view opening : {"(", "[", "(?=", "a{9999}(", "[^[", "(?<="}) {
    std::string deep;
    for (int i = 0; i < 10'000; ++i) deep += opening;
    std::string escaped;
    for (const auto byte : deep) escaped += byte == '<' ? "&lt;" : std::string(1, byte);
    EXPECT_THAT(error_of(srx("no", group("All", rule("yes", escaped, "")), map("en", "All"))), HasSubstr("rule 1"));
  }
}

TEST_F(SrxTest, TruncatedFilesAreErrors) {
  const auto whole = srx("yes", group("All", rule("no", "Mr\\.", "") + kFullStop), map(".*", "All"));
  for (std::size_t size = 0; size < whole.rfind("</srx>"); ++size)
    EXPECT_THAT(error_of(whole.substr(0, size)), HasSubstr("rules.srx: ")) << size;
}

}  // namespace
}  // namespace gloss
