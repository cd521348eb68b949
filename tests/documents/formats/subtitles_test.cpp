#include "documents/formats/subtitles.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const DocumentOptions kOptions{"a.srt", "en", "de", false};

std::unique_ptr<PassageReader> reader_of(const std::string& bytes) {
  auto input = DocumentInput::of(bytes, "a.srt");
  return bytes.starts_with("WEBVTT") ? read_vtt(std::move(input), kOptions) : read_srt(std::move(input), kOptions);
}

std::string translated_cues(const std::string& bytes, const FakeTranslation& fake,
                            std::vector<std::string>* texts = nullptr) {
  return rendered_document(*reader_of(bytes), fake, texts);
}

std::vector<std::string> cue_texts(const std::string& bytes) {
  std::vector<std::string> texts;
  EXPECT_EQ(translated_cues(bytes, unchanged, &texts), bytes);
  return texts;
}

/// Returns a translation with one more word after each.
InlineText longer(const InlineText& text) {
  InlineText result;
  for (std::size_t i = 0, next = 0; i <= text.text.size(); ++i) {
    const bool at_word_end = i == text.text.size() || text.text[i] == ' ';
    for (; next < text.elements.size() && text.elements[next].offset == i; ++next) {
      result.elements.push_back(text.elements[next]);
      result.elements.back().offset = result.text.size();
    }
    if (at_word_end && i > 0) result.text += " more";
    if (i < text.text.size()) result.text += text.text[i];
  }
  return result;
}

std::string cue(int second, const std::string& text) {
  const auto two = [](int number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  const auto time = [&](int at) { return "00:" + two(at / 60) + ":" + two(at % 60) + ",000"; };
  return std::to_string(second) + "\n" + time(second) + " --> " + time(second + 1) + "\n" + text + "\n\n";
}

TEST(Subtitles, OnlyTheTextChanges) {
  EXPECT_EQ(translated_cues("1\r\n00:00:01,000 --> 00:00:02,000 X1:40  \r\nHello, you. \r\n\r\n\r\n\r\n"
                            "2\r\n0:00:03.5 --> 00:00:04\r\n  <i>Good-bye.</i>\r\n",
                            shouted),
            "1\r\n00:00:01,000 --> 00:00:02,000 X1:40  \r\nHELLO, YOU. \r\n\r\n\r\n\r\n"
            "2\r\n0:00:03.5 --> 00:00:04\r\n  <i>GOOD-BYE.</i>\r\n");
}

TEST(Subtitles, SentencesRunThroughCues) {
  EXPECT_THAT(
      cue_texts(cue(1, "The man who is\nover there") + cue(2, "is tall. He") + cue(3, "sleeps.") + cue(4, "Yes")),
      ElementsAre("The man who is over there is tall. He sleeps.", "Yes"));
}

TEST(Subtitles, APauseEndsAUnit) {
  EXPECT_THAT(cue_texts(cue(1, "I think") + cue(3, "so too") + cue(6, "that he")),
              ElementsAre("I think so too", "that he"));
}

TEST(Subtitles, SpeakersStayOnTheirLines) {
  const auto bytes =
      cue(1, "{\\an8}- Hi there,\n<i>- Hello!</i>") + cue(2, "-Who? <b>-5</b> degrees") + cue(3, "-- and he");
  EXPECT_THAT(cue_texts(bytes), ElementsAre("Hi there,", "Hello!", "Who? -5 degrees -- and he"));
  EXPECT_EQ(translated_cues(bytes, shouted),
            cue(1, "{\\an8}- HI THERE,\n<i>- HELLO!</i>") + cue(2, "-WHO? <b>-5</b> DEGREES") + cue(3, "-- AND HE"));
}

TEST(Subtitles, SoundsAndSongsAreUnitsOfTheirOwn) {
  const auto bytes = cue(1, "I know") + cue(2, "[door\nopens]") + cue(3, "(laughs)\nWell") + cue(4, "♪ La la\nland ♪") +
                     cue(5, "♪ One ♪\n♪ Two ♪") + cue(6, "(Really) so");
  EXPECT_THAT(cue_texts(bytes),
              ElementsAre("I know", "door opens", "laughs", "Well", "La la land", "One", "Two", "(Really) so"));
  EXPECT_EQ(translated_cues(bytes, shouted), cue(1, "I KNOW") + cue(2, "[DOOR OPENS]") + cue(3, "(LAUGHS)\nWELL") +
                                                 cue(4, "♪ LA LA LAND ♪") + cue(5, "♪ ONE ♪\n♪ TWO ♪") +
                                                 cue(6, "(REALLY) SO"));
}

TEST(Subtitles, ChineseCuesAreJoinedWithoutSpace) {
  EXPECT_THAT(cue_texts(cue(1, "我们今天\n在这里，") + cue(2, "明天去。")), ElementsAre("我们今天在这里，明天去。"));
}

TEST(Subtitles, DamagedCuesStay) {
  const auto bytes =
      "1\n00:00:xx,000 --> 00:00:02,000\nlost text\n\n" + cue(2, "Good.") + "3\n00:03 -> 00:04\nno arrow\n";
  EXPECT_EQ(translated_cues(bytes, shouted),
            "1\n00:00:xx,000 --> 00:00:02,000\nlost text\n\n" + cue(2, "GOOD.") + "3\n00:03 -> 00:04\nno arrow\n");
}

TEST(Subtitles, NumbersWithoutEmptyLineBeforeThemStay) {
  std::vector<std::string> texts;
  const std::string bytes =
      "1\n00:01,0 --> 00:02,0\nI have\n42\n2\n00:03,0 --> 00:04,0\n43 dogs.\n\n44\n\n\n00:05,0 --> 00:06,0\n7\n";
  EXPECT_EQ(translated_cues(bytes, longer, &texts),
            "1\n00:01,0 --> 00:02,0\nI more have more 42 more\n2\n00:03,0 --> 00:04,0\n43 more dogs. "
            "more\n\n44\n\n\n00:05,0 --> 00:06,0\n7\n");
  EXPECT_THAT(texts, ElementsAre("I have 42 43 dogs."));
}

TEST(Subtitles, TextAfterAnEmptyLineIsTranslated) {
  EXPECT_EQ(translated_cues("1\n00:01,0 --> 00:02,0\nOne\n\ntwo\n\n\n", shouted),
            "1\n00:01,0 --> 00:02,0\nONE\n\nTWO\n\n\n");
}

TEST(Subtitles, TagsOfAPairThatIsCutAreRepeated) {
  const auto swap = [](const InlineText& text) {  // all words in the pair
    auto result = text;
    result.elements[0].offset = 0;
    result.elements[1].offset = text.text.size();
    return InlineText{"aaaa bbb cccc ddd",
                      {{result.elements[0]},
                       {.kind = InlineElement::Kind::kClosing,
                        .offset = 17,
                        .partner = 0,
                        .source = result.elements[1].source,
                        .text = {}}}};
  };
  EXPECT_EQ(translated_cues(cue(1, "He <i>is</i> not") + cue(2, "at home."), swap),
            cue(1, "<i>aaaa bbb</i>") + cue(2, "<i>cccc ddd</i>"));
}

TEST(Subtitles, WebVttKeepsAllButTheTextOfCues) {
  const std::string bytes =
      "WEBVTT - Title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:fred\n\nNOTE a note\nthat goes "
      "on\n\n"
      "intro\n00:01.000 --> 00:02.000 align:start position:0%\n<v Ann>Salt &amp; pepper,\n\n"
      "00:02.000 --> 00:03.000\n<v Ann>&lt; please&nbsp;now.\n\n"
      "00:03.000 --> 00:04.000\n<v.loud Bob>Take <00:03.500><c.x>it</c>\n<v Ann>No\n\nstray text\n";
  EXPECT_THAT(cue_texts(bytes), ElementsAre("Salt & pepper, < please\u00a0now.", "Take it", "No"));
  const auto output = translated_cues(bytes, shouted);
  EXPECT_THAT(output,
              HasSubstr("<v Ann>SALT &amp; PEPPER,\n\n00:02.000 --> 00:03.000\n<v Ann>&lt; PLEASE\u00a0NOW.\n"));
  EXPECT_THAT(output, HasSubstr("<v.loud Bob>TAKE <00:03.500><c.x>IT</c>\n<v Ann>NO\n\nstray text\n"));
  EXPECT_EQ(output.substr(0, output.find("SALT")), bytes.substr(0, bytes.find("Salt")));
}

TEST(Subtitles, OtherFormatsAreRefused) {
  const auto message = [](std::unique_ptr<PassageReader> reader) {
    try {
      while (reader->next()) continue;
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(message(read_srt(DocumentInput::of("WEBVTT\n\n", "x"), kOptions)), HasSubstr("x: line 1: wanted SRT"));
  EXPECT_THAT(message(read_vtt(DocumentInput::of("1\n", "x"), kOptions)), HasSubstr("wanted WEBVTT"));
  EXPECT_THAT(message(read_srt(DocumentInput::of("Dear reader,\n", "x"), kOptions)), HasSubstr("wanted subtitles"));
  EXPECT_EQ(message(read_srt(DocumentInput::of("\n", "x"), kOptions)), "none");
}

TEST(Subtitles, PassagesAndUnitsAreBounded) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += cue(i, "and so he goes on and on");
  const auto reader = reader_of(bytes);
  std::string joined;
  std::size_t units = 0;
  while (const auto passage = reader->next()) {
    EXPECT_LE(std::ranges::count(passage->bytes, '>'), 200);
    for (const auto& unit : passage->units) EXPECT_LE(unit.source.text.size(), 1000U);
    units += passage->units.size();
    joined += passage->bytes;
  }
  EXPECT_EQ(joined, bytes);
  EXPECT_GE(units, 1000U / 12);
}

TEST(Subtitles, OverlongCuesStayAndDoNotFillAPassage) {
  const auto bytes = cue(1, "One.") + cue(2, std::string(3 << 20, 'a')) + cue(3, "Two.");
  std::size_t passages = 0;
  for (const auto reader = reader_of(bytes); reader->next();) ++passages;
  EXPECT_GE(passages, 2U);
  EXPECT_EQ(translated_cues(bytes, shouted), cue(1, "ONE.") + cue(2, std::string(3 << 20, 'a')) + cue(3, "TWO."));
}

/// Returns the lines without those of cue texts, which the generator marks with letters from a to f.
std::string without_texts(const std::string& bytes) {
  std::istringstream lines(bytes);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_of("abcdef") == line.npos || line.find("-->") != line.npos || line.starts_with("NOTE"))
      kept += line + '\n';
  return kept;
}

TEST(Subtitles, RandomDocumentsKeepCuesAndTags) {
  std::mt19937 random(7);
  const auto pick = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  for (int round = 0; round < 400; ++round) {
    const bool is_vtt = round % 2 == 0;
    std::string bytes = is_vtt ? "WEBVTT\n\n" : "";
    for (int i = 1; i < 12; ++i) {
      bytes += is_vtt ? pick({"", "NOTE abc\n\n", "7\n"}) : std::to_string(i) + "\n";
      bytes += "00:0" + std::to_string(i % 6) + ":00.000 --> 00:0" + std::to_string(i % 6) + ":0" + pick({"1", "9"}) +
               ".000\n";
      const auto words = 1 + random() % 12;
      bytes += pick({"", "<i>", "{\\an8}", "- ", "<v Ann>", "[", "♪ "});
      for (std::size_t word = 0; word < words; ++word)
        bytes += pick({"ab ", "bcd ", "def, ", "fade\n", "<b>bed</b> ", "<u>cab ", "bad</i> ", "dad. ", "bee\n- "});
      bytes += "dab" + pick({"", ".", "</i>", "]", " ♪"}) + pick({"\n\n", "\n\n\n", " \n\n"});
    }
    EXPECT_EQ(translated_cues(bytes, unchanged), bytes);
    const auto output = translated_cues(bytes, longer);
    EXPECT_EQ(without_texts(output), without_texts(bytes)) << bytes << "\n=>\n" << output;
    for (const auto* tag : {"<v Ann>", "{\\an8}", "♪", "["}) {
      const auto count = [&](const std::string& text) {
        std::size_t found = 0;
        for (auto at = text.find(tag); at != text.npos; at = text.find(tag, at + 1)) ++found;
        return found;
      };
      EXPECT_EQ(count(output), count(bytes)) << tag << "\n" << bytes << "\n=>\n" << output;
    }
    // Times get damaged.
    auto damaged = bytes;
    damaged[8 + random() % (bytes.size() - 8)] = "\n a-:>"[random() % 6];
    try {
      EXPECT_EQ(translated_cues(damaged, unchanged), damaged);
      (void)translated_cues(damaged, longer);
    } catch (const DataError&) {
    }
  }
}

TEST(Subtitles, CutDocumentsAreReadAtEveryByte) {
  const std::string bytes =
      "WEBVTT\n\n1\n00:01.000 --> 00:02.000 a\n<v Ann>- Salt &amp; <i>pep\nper</i> [\n\n00:02.000 --> 00:03.000\n♪ a "
      "{\\b1}\n";
  for (std::size_t length = 6; length < bytes.size(); ++length) {
    if ((bytes[length] & 0xc0) == 0x80) continue;
    const auto cut = bytes.substr(0, length);
    EXPECT_EQ(translated_cues(cut, unchanged), cut);
    EXPECT_EQ(translated_cues(cut, longer).substr(0, 30), cut.substr(0, 30));
  }
}

TEST(Subtitles, LabelsOfSpeakersStay) {
  EXPECT_THAT(cue_texts(cue(1, "JOHN: A dog is running\nthrough") + cue(2, "the snow.") +
                        cue(3, "- MAN 2: Yes\n- <i>M\u00c4RY (V.O.): no</i>") + cue(4, "ANN:\nHello.") +
                        cue(5, "Note: it is 10:30.") + cue(6, "AT 10:30.") + cue(7, "<b>BOB:</b> Hi") + cue(8, "TV:")),
              ElementsAre("A dog is running through the snow.", "Yes", "no", "Hello.", "Note: it is 10:30.",
                          "AT 10:30.", "Hi"));
  EXPECT_EQ(translated_cues(cue(1, "JOHN: yes") + cue(2, "- MAN 2: no"), shouted),
            cue(1, "JOHN: YES") + cue(2, "- MAN 2: NO"));
}

TEST(Subtitles, TheLanguageInAHeaderOfWebVttIsSet) {
  EXPECT_EQ(translated_cues("WEBVTT\r\nKind: captions\r\nLanguage: en\r\n\r\nNOTE\nLanguage: x\n\n00:01.000 --> "
                            "00:02.000\nLanguage: en\n",
                            unchanged),
            "WEBVTT\r\nKind: captions\r\nLanguage: de\r\n\r\nNOTE\nLanguage: x\n\n00:01.000 --> 00:02.000\n"
            "Language: en\n");
}

}  // namespace
}  // namespace gloss
