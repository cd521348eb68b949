#include "common/text/language_tag.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(LanguageTagTest, RecognizesTheFormOfATag) {
  for (const auto* tag : {"en", "de", "gsw", "pt-BR", "zh-Hans", "zh-Hans-CN", "zh-yue", "es-419", "de-CH-1996",
                          "sl-rozaj", "en-u-co-phonebk", "de-x-own", "x-klingon"})
    EXPECT_TRUE(is_language_tag(tag)) << tag;
  for (const auto* text : {"", "e", "en_US", "en-", "-en", "en--US", "e1", "en-USA-x", "english language",
                           "en-\xc3\xa4", "en-u", "abcdefghi", "12"})
    EXPECT_FALSE(is_language_tag(text)) << text;
}

TEST(LanguageTagTest, UnderscoresBecomeHyphensInTags) {
  EXPECT_EQ(with_hyphens("eng_Latn"), "eng-Latn");
  EXPECT_EQ(with_hyphens("pt-BR"), "pt-BR");
  EXPECT_EQ(with_hyphens("no_language_at_all"), "no_language_at_all");
}

TEST(LanguageTagTest, IsTakenFromTheEndOfAFileName) {
  EXPECT_EQ(language_of_file("train.en"), "en");
  EXPECT_EQ(language_of_file("/some.de/train.en.txt"), "en");
  EXPECT_EQ(language_of_file("train.tok.de"), "de");
  EXPECT_EQ(language_of_file("train.de.tok"), "de");
  EXPECT_EQ(language_of_file("en.txt"), "en");
  EXPECT_EQ(language_of_file("news.pt_BR"), "pt-BR");
  EXPECT_EQ(language_of_file("train.en.gz"), "en");
  EXPECT_EQ(language_of_file("news.zh-cn"), "zh-cn");
  EXPECT_EQ(language_of_file("news.de-DE"), "de-DE");
  EXPECT_EQ(language_of_file("dev.eng_Latn"), "eng-Latn");
  EXPECT_EQ(language_of_file("dev.zh-Hans-CN"), "zh-Hans-CN");
}

TEST(LanguageTagTest, OtherEndingsAreNoLanguage) {
  for (const auto* file : {"train", "train.txt", "train.source", "train.target", "train.src", "train.tgt", "train.trg",
                           "train.bpe", "train.xx", "train.", "", "train.en-de", "a n", "train.e"})
    EXPECT_EQ(language_of_file(file), "") << file;
}

}  // namespace
}  // namespace gloss
