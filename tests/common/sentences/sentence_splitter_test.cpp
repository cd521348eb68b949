#include "common/sentences/sentence_splitter.h"

#include <ctime>
#include <fstream>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(std::string_view language, std::string_view text) {
  std::vector<std::string> sentences;
  for (const auto& span : rule_splitter(language)->sentences(text)) sentences.emplace_back(span.of(text));
  return sentences;
}

/// Returns the sentences with | between them.
std::string cut(std::string_view language, std::string_view text) {
  std::string joined;
  for (const auto& sentence : split(language, text)) joined += (joined.empty() ? "" : "|") + sentence;
  return joined;
}

bool is_all_white_space(std::string_view text) {
  bool white = true;
  for_each_character(text, [&](auto value, auto) { white &= is_white_space(value.value_or(U'x')); });
  return white;
}

/// Expects that sentences ascend, have no white space at their ends and nothing but white space between them.
void expect_whole(std::string_view text, const std::vector<TextSpan>& sentences) {
  std::size_t end = 0;
  for (const auto& span : sentences) {
    ASSERT_LE(end, span.begin) << text;
    ASSERT_LT(span.begin, span.end) << text;
    ASSERT_LE(span.end, text.size()) << text;
    EXPECT_TRUE(is_all_white_space(text.substr(end, span.begin - end))) << text;
    const auto sentence = span.of(text);
    EXPECT_FALSE(is_white_space(decode_utf8(sentence, 0).value.value_or(U'x'))) << text;
    EXPECT_FALSE(is_white_space(decode_utf8(sentence, last_character(sentence)).value.value_or(U'x'))) << text;
    end = span.end;
  }
  EXPECT_TRUE(is_all_white_space(text.substr(end))) << text;
}

TEST(SentenceSplitterTest, EmptyTextHasNoSentences) {
  EXPECT_THAT(split("en", ""), ElementsAre());
  EXPECT_THAT(split("en", " \t\xC2\xA0\n"), ElementsAre());
  EXPECT_THAT(split("en", " ... "), ElementsAre("..."));
  EXPECT_THAT(split("en", "  One.  Two. "), ElementsAre("One.", "Two."));
}

TEST(SentenceSplitterTest, QuotesAndBracketsAfterTheMark) {
  EXPECT_EQ(cut("en", "He said \"Go.\" Then he left. (She stayed.) So."),
            "He said \"Go.\"|Then he left.|(She stayed.)|So.");
  EXPECT_EQ(cut("en", "“Why?” he asked. ‘No!’ It rained."), "“Why?” he asked.|‘No!’|It rained.");
  EXPECT_EQ(cut("en", "\"Really?\" Peter asked. \"Really?\" Peter, come."),
            "\"Really?\" Peter asked.|\"Really?\"|Peter, come.");
  EXPECT_EQ(cut("de", "Er rief: „Halt!“ Sie ging. »Komm.« Er kam."), "Er rief: „Halt!“|Sie ging.|»Komm.«|Er kam.");
  EXPECT_EQ(cut("fr", "« Allez ! » Puis il part. Tu viens ? Oui. Quoi ? ! Non. « Qui ? » dit-il."),
            "« Allez ! »|Puis il part.|Tu viens ?|Oui.|Quoi ? !|Non.|« Qui ? » dit-il.");
  EXPECT_EQ(cut("en", "He (what a man!) Peter knew. He left (it rained!). Then sun."),
            "He (what a man!) Peter knew.|He left (it rained!).|Then sun.");
  EXPECT_EQ(cut("en", "Is it so? (Phil. 4:8) No, it is not."), "Is it so? (Phil. 4:8)|No, it is not.");
}

TEST(SentenceSplitterTest, AbbreviationsOfTheLanguage) {
  EXPECT_EQ(cut("en", "Dr. Smith of St. Mary saw vol. IX and No. 5, e.g. The Times. No. I won't."),
            "Dr. Smith of St. Mary saw vol. IX and No. 5, e.g. The Times.|No.|I won't.");
  EXPECT_EQ(cut("en", "We left at 5 p.m. Then we saw the U.S. Army in the U.S. They won."),
            "We left at 5 p.m.|Then we saw the U.S. Army in the U.S.|They won.");
  EXPECT_EQ(cut("en", "The head of the F.B.I. James B. Comey was fired. Mr. Comey slept."),
            "The head of the F.B.I. James B. Comey was fired.|Mr. Comey slept.");
  EXPECT_EQ(cut("de", "Er kam usw. Danach ging er usw. Leuten aus dem Weg."),
            "Er kam usw.|Danach ging er usw. Leuten aus dem Weg.");
  EXPECT_EQ(cut("de", "Am 29. Juli 1990. Frau Müller, geb. Schmidt, las z. B. Die Zeit, die sog. Presse."),
            "Am 29. Juli 1990.|Frau Müller, geb. Schmidt, las z. B. Die Zeit, die sog. Presse.");
  EXPECT_EQ(cut("de", "Prof. Dr.-Ing. Weber, Hauptstr. 5, schrieb 44 v. Chr. Danach nichts."),
            "Prof. Dr.-Ing. Weber, Hauptstr. 5, schrieb 44 v. Chr.|Danach nichts.");
  EXPECT_EQ(cut("es", "Vive en EE. UU. Ella no. ¿Y Ud.? ¡Sí! P. ej. Cuba."),
            "Vive en EE. UU.|Ella no.|¿Y Ud.?|¡Sí!|P. ej. Cuba.");
  EXPECT_EQ(cut("fr", "M. Dupont, né en 44 av. J.-C. Il rit."), "M. Dupont, né en 44 av. J.-C.|Il rit.");
  EXPECT_EQ(cut("cs", "Dne 5. 3. 1950 přišel např. Karel IV. Potom vlk. Smrt."),
            "Dne 5. 3. 1950 přišel např. Karel IV.|Potom vlk.|Smrt.");
  EXPECT_EQ(cut("ru", "А. С. Пушкин и т. д. Он жил на ул. Мира. Она тоже."),
            "А. С. Пушкин и т. д.|Он жил на ул. Мира.|Она тоже.");
  EXPECT_EQ(cut("pl", "Widziałem m.in. Annę itd. Potem ks. Jan odszedł."),
            "Widziałem m.in. Annę itd.|Potem ks. Jan odszedł.");
}

TEST(SentenceSplitterTest, TagsOfLanguagesMayHaveScriptAndRegion) {
  const auto* text = "Er kam bzw. Peter.";
  EXPECT_EQ(cut("de-CH", text), text);
  EXPECT_EQ(cut("deu_Latn", text), text);
  EXPECT_EQ(cut("", text), text);
  EXPECT_EQ(cut("fr", "Voir Abs. 3 bzw. Peter."), "Voir Abs.|3 bzw. Peter.");  // without a vowel
}

TEST(SentenceSplitterTest, InitialsAndLetters) {
  EXPECT_EQ(cut("en", "J. R. R. Tolkien met E. T. A. Hoffmann. Then plan B. Peter liked it."),
            "J. R. R. Tolkien met E. T. A. Hoffmann.|Then plan B.|Peter liked it.");
  EXPECT_EQ(cut("en", "The device does test E. Set it to five."), "The device does test E.|Set it to five.");
  EXPECT_EQ(cut("en", "E. Set it to five."), "E. Set it to five.");
  EXPECT_EQ(cut("en", "You and I. You and I getting together."), "You and I.|You and I getting together.");
}

TEST(SentenceSplitterTest, NumbersListsAndAddresses) {
  EXPECT_EQ(cut("en", "1. Open the file. 2. Close it. 3. Leave."), "1. Open the file.|2. Close it.|3. Leave.");
  EXPECT_EQ(cut("en", "Two ways: 1. Stay or 2) Go. It cost 3.50. He paid 5. Then he left in 1990. Peter stayed."),
            "Two ways: 1. Stay or 2) Go.|It cost 3.50.|He paid 5.|Then he left in 1990.|Peter stayed.");
  EXPECT_EQ(cut("en", "See https://a.example/x?y=1!z. Mail me@b.example. Use v2.0.1. Done."),
            "See https://a.example/x?y=1!z.|Mail me@b.example.|Use v2.0.1.|Done.");
}

TEST(SentenceSplitterTest, EllipsesMarksAndEmoji) {
  EXPECT_EQ(cut("en", "Well... maybe. Wait... What?! Yes . . . no. Go. ...And so?"),
            "Well... maybe.|Wait...|What?!|Yes . . . no.|Go.|...And so?");
  EXPECT_EQ(cut("en", "Great! 😀 Then we left.👍🏽 OK. :) Bye."),
            "Great! 😀|Then we left.👍🏽|OK. :)|Bye.");
  EXPECT_EQ(cut("en", "It grew.[1] Then it fell.² Why?"), "It grew.[1]|Then it fell.²|Why?");
  EXPECT_EQ(cut("en", "I sell phones. iPhone sales fell. and then"), "I sell phones.|iPhone sales fell. and then");
}

TEST(SentenceSplitterTest, OtherScripts) {
  EXPECT_EQ(cut("zh", "他睡了。狗在跑！「真的吗？」他问。他说：“我累了。”然后走了。他喊“救命！”就跑了。"),
            "他睡了。|狗在跑！|「真的吗？」他问。|他说：“我累了。”|然后走了。|他喊“救命！”就跑了。");
  EXPECT_EQ(cut("zh", "《你好！》是书。“你？”“我。”约3．5米。1. 打开。2. 关闭。你好!我是J. K. Rowling。"),
            "《你好！》是书。|“你？”|“我。”|约3．5米。|1. 打开。|2. 关闭。|你好!|我是J. K. Rowling。");
  EXPECT_EQ(cut("ja", "彼は「疲れた。もう帰る。」と言った。「本当？」と聞いた。はい。"),
            "彼は「疲れた。もう帰る。」と言った。|「本当？」と聞いた。|はい。");
  EXPECT_EQ(cut("hi", "वह सोता है। डॉ. शर्मा आए। क्यों? पता नहीं।"), "वह सोता है।|डॉ. शर्मा आए।|क्यों?|पता नहीं।");
  EXPECT_EQ(cut("ar", "هو نائم. الكلب يركض؟ نعم."), "هو نائم.|الكلب يركض؟|نعم.");
  EXPECT_EQ(cut("ur", "وہ سوتا ہے۔ کتا دوڑتا ہے۔"), "وہ سوتا ہے۔|کتا دوڑتا ہے۔");
  EXPECT_EQ(cut("hy", "Նա քնած է։ Շունը վազում է։"), "Նա քնած է։|Շունը վազում է։");
  EXPECT_EQ(cut("am", "ሰላም ነው። እሺ።"), "ሰላም ነው።|እሺ።");
  EXPECT_EQ(cut("th", "สวัสดี! คุณสบายดีไหม? พ.ศ. 2540"), "สวัสดี!|คุณสบายดีไหม?|พ.ศ. 2540");
  EXPECT_EQ(cut("ko", "그는 잔다. 개가 달린다."), "그는 잔다.|개가 달린다.");
}

TEST(SentenceSplitterTest, NearlyAllParagraphsOfTheGoldSetsAreCutRight) {
  for (const std::string language : {"en", "de", "fr", "es", "cs", "zh"})
    for (const auto* part : {"_a.txt", "_b.txt"}) {
      std::ifstream file(GLOSS_GOLD_SENTENCES "/" + language + part);
      ASSERT_TRUE(file) << language;
      std::string paragraph, wanted;
      int right = 0, paragraphs = 0;
      for (std::string line; std::getline(file, line);) {
        if (!line.empty()) {
          paragraph += (paragraph.empty() || language == "zh" ? "" : " ") + line;
          wanted += (wanted.empty() ? "" : "|") + line;
          continue;
        }
        ++paragraphs;
        if (cut(language, paragraph) == wanted) ++right;
        paragraph = wanted = "";
      }
      EXPECT_EQ(paragraphs, 100) << language << part;
      EXPECT_GE(right, 96) << language << part;
    }
}

TEST(SentenceSplitterTest, RandomTextStaysWhole) {
  const std::vector<std::string_view> parts{".",
                                            ". ",
                                            "!",
                                            "?",
                                            "…",
                                            " ",
                                            "  ",
                                            "\xC2\xA0",
                                            "\xE3\x80\x80",
                                            "\n",
                                            "\"",
                                            "'",
                                            "“",
                                            "”",
                                            "„",
                                            "«",
                                            "»",
                                            "「",
                                            "」",
                                            "(",
                                            ")",
                                            "[",
                                            "]",
                                            "[1]",
                                            "（",
                                            "）",
                                            "《",
                                            "》",
                                            "。",
                                            "！",
                                            "？",
                                            "．",
                                            "।",
                                            "։",
                                            "。”",
                                            "：“",
                                            "-",
                                            "—",
                                            "¿",
                                            ":",
                                            ";",
                                            "😀",
                                            "👍🏽",
                                            "\xE2\x80\x8D",
                                            "\xEF\xB8\x8F",
                                            "\xCC\x81",
                                            "\xE2\x80\x8B",
                                            "A",
                                            "b",
                                            "I",
                                            "Dr",
                                            "z.B",
                                            "usw",
                                            "The",
                                            "Danach",
                                            "U.S",
                                            "12",
                                            "3.5",
                                            "IX",
                                            "iP",
                                            "É",
                                            "ß",
                                            "他",
                                            "说",
                                            "と",
                                            "วัน",
                                            "ह",
                                            "ד",
                                            "\xF0\x9D\x94\xB8",
                                            "\x01",
                                            "http://a.b/c?d"};
  const std::vector<std::string_view> languages{"", "en", "de", "fr", "es", "cs", "zh", "tr"};
  std::vector<std::shared_ptr<const SentenceSplitter>> splitters;
  for (const auto language : languages) splitters.push_back(rule_splitter(language));
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto n = random() % 24; n > 0; --n) text += parts[random() % parts.size()];
    expect_whole(text, splitters[random() % splitters.size()]->sentences(text));
  }
}

/// Returns the processor time of cutting a text of white space and then many times `part`.
double seconds_for(const SentenceSplitter& splitter, std::string_view part, std::size_t bytes) {
  auto text = "a" + std::string(bytes / 4, ' ');
  while (text.size() < bytes) text += part;
  const auto start = std::clock();
  splitter.sentences(text);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(SentenceSplitterTest, TimeIsLinear) {
  const auto splitter = rule_splitter("de");
  for (const std::string_view part :
       {".",    ". ", " ",   "z. B. ", "usw. ", "(",     "「",  "a.(",  "a. (B ", "。“", "!😀",  "¿. ",
        "[1].", "A",  "A. ", "! ",     "。「",  ":) . ", ". »", "! !!", "1. ",    "X",   "(a) "})
    EXPECT_LT(seconds_for(*splitter, part, 1 << 18), 24 * seconds_for(*splitter, part, 1 << 15) + 0.2) << part;
  for (const std::string_view part : {".", " ", "usw. "}) EXPECT_LT(seconds_for(*splitter, part, 1 << 20), 20) << part;
}

std::vector<std::string> spans(std::string_view text, SentenceMode mode) {
  std::vector<std::string> sentences;
  for (const auto& span : sentence_spans(text, mode, *rule_splitter("en"))) sentences.emplace_back(span.of(text));
  return sentences;
}

TEST(SentenceSpansTest, Modes) {
  const auto* text = "One. Two\r\nthree. Four.\n \t\n Five\rsix. \xE2\x80\xA9Seven";
  EXPECT_THAT(spans(text, SentenceMode::kLine), ElementsAre("One. Two", "three. Four.", "Five", "six.", "Seven"));
  EXPECT_THAT(spans(text, SentenceMode::kParagraph),
              ElementsAre("One.", "Two", "three.", "Four.", "Five", "six.", "Seven"));
  EXPECT_THAT(spans(text, SentenceMode::kWrapped),
              ElementsAre("One.", "Two\r\nthree.", "Four.", "Five\rsix.", "Seven"));
  EXPECT_THAT(spans("", SentenceMode::kWrapped), ElementsAre());
  EXPECT_THAT(spans("\n\r\n", SentenceMode::kLine), ElementsAre());
}

TEST(SentenceSpansTest, RandomTextStaysWhole) {
  const std::vector<std::string_view> parts{"\n", "\r\n", "\r", "\xE2\x80\xA9", "\xE2\x80\xA8", " ", "\t", "a", "B. ",
                                            "C",  "。",   "é",  "\xE2\x80\x8B"};
  const auto splitter = rule_splitter("");
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto n = random() % 16; n > 0; --n) text += parts[random() % parts.size()];
    for (const auto& [name, mode] : kSentenceModes) expect_whole(text, sentence_spans(text, mode, *splitter));
  }
}

TEST(EndsWithMark, LooksBehindQuotesAndSpaces) {
  for (const auto* text : {"a.", "a?\" ", "a\u3002\u300d", "a.)\r\n"}) EXPECT_TRUE(ends_with_mark(text)) << text;
  for (const auto* text : {"a", "a,", "", " ", "a. b"}) EXPECT_FALSE(ends_with_mark(text)) << text;
}

TEST(CutsParagraph, AfterTheMarkOfASentenceIfItCan) {
  EXPECT_FALSE(cuts_paragraph(1 << 16, "a.\n"));
  EXPECT_TRUE(cuts_paragraph((1 << 16) + 1, "a.\n"));
  EXPECT_FALSE(cuts_paragraph((1 << 16) + 1, "a\n"));
  EXPECT_TRUE(cuts_paragraph((1 << 20) + 1, "a\n"));
}

}  // namespace
}  // namespace gloss
