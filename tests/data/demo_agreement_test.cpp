#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "data/demo_corpus.h"

// Checks the text with its own tables, independent of the code that makes the sentences.
namespace gloss {
namespace {

using grammar::Language;
using Words = std::vector<std::string>;

const std::vector<std::string>& lines(Language language) {
  static std::map<Language, std::vector<std::string>> made;
  auto& all = made[language];
  if (!all.empty()) return all;
  const bool chinese = language == Language::kChinese;
  const auto corpus = draw_demo_corpus(
      {.source = Language::kEnglish, .target = chinese ? Language::kChinese : Language::kGerman, .size = 10000});
  for (const auto* part : {&corpus.train, &corpus.valid, &corpus.test})
    for (const auto& pair : *part) all.push_back(language == Language::kEnglish ? pair.source : pair.target);
  return all;
}

Words words(std::string text) {
  for (auto& c : text)
    if (c == '.' || c == ',' || c == '?') c = ' ';
  std::istringstream stream(text);
  Words result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

// The kinds of German nouns: m, f, n; p in the plural; d in the dative plural.
std::string german_kinds(const std::string& word) {
  static const auto table = [] {
    std::map<std::string, std::string> kinds;
    const std::vector<std::array<std::string, 3>> nouns = {
        {"Hund", "m", "Hunde"},     {"Katze", "f", "Katzen"},      {"Pferd", "n", "Pferde"},
        {"Tisch", "m", "Tische"},   {"Auto", "n", "Autos"},        {"Frau", "f", "Frauen"},
        {"Kind", "n", "Kinder"},    {"Buch", "n", "Bücher"},       {"Tasche", "f", "Taschen"},
        {"Mantel", "m", "Mäntel"},  {"Kleid", "n", "Kleider"},     {"Lampe", "f", "Lampen"},
        {"Haus", "n", "Häuser"},    {"Vogel", "m", "Vögel"},       {"Mutter", "f", "Mütter"},
        {"Apfel", "m", "Äpfel"},    {"Zeitung", "f", "Zeitungen"}, {"Brief", "m", "Briefe"},
        {"Freund", "m", "Freunde"}, {"Stuhl", "m", "Stühle"},      {"Schwester", "f", "Schwestern"},
        {"Hemd", "n", "Hemden"},    {"Kuh", "f", "Kühe"},          {"Bett", "n", "Betten"}};
    for (const auto& [singular, gender, plural] : nouns) {
      kinds[singular] += gender;
      kinds[plural] += "p";
      const bool alike = plural.ends_with('n') || plural.ends_with('s');
      kinds[alike ? plural : plural + "n"] += "d";
    }
    return kinds;
  }();
  const auto found = table.find(word);
  return found == table.end() ? "" : found->second;
}

// The ending of an adjective after the determiner, for each kind of noun that goes with the determiner.
std::map<char, std::string> adjective_endings(std::string determiner) {
  if (determiner[0] >= 'A' && determiner[0] <= 'Z') determiner[0] = static_cast<char>(determiner[0] + 32);
  static const std::map<std::string, std::map<char, std::string>> definite = {{"der", {{'m', "e"}, {'f', "en"}}},
                                                                              {"die", {{'f', "e"}, {'p', "en"}}},
                                                                              {"das", {{'n', "e"}}},
                                                                              {"den", {{'m', "en"}, {'d', "en"}}},
                                                                              {"dem", {{'m', "en"}, {'n', "en"}}},
                                                                              {"dieser", {{'m', "e"}, {'f', "en"}}},
                                                                              {"diese", {{'f', "e"}, {'p', "en"}}},
                                                                              {"dieses", {{'n', "e"}}},
                                                                              {"diesen", {{'m', "en"}, {'d', "en"}}},
                                                                              {"diesem", {{'m', "en"}, {'n', "en"}}}};
  if (const auto found = definite.find(determiner); found != definite.end()) return found->second;
  for (const std::string stem : {"kein", "mein", "sein", "ein", "unser", "ihr"}) {
    if (determiner == stem) return {{'m', "er"}, {'n', "es"}};
    if (determiner == stem + "e") return {{'f', "e"}, {'p', "en"}};
    if (determiner == stem + "en") return {{'m', "en"}, {'d', "en"}};
    if (determiner == stem + "em") return {{'m', "en"}, {'n', "en"}};
    if (determiner == stem + "er") return {{'f', "en"}};
  }
  if (is_one_of(determiner, {"zwei", "drei", "vier", "fünf", "sechs", "viele", "einige"}))
    return {{'p', "e"}, {'d', "en"}};
  return {};
}

bool agree(const std::map<char, std::string>& endings, const std::string& kinds, const std::string* adjective) {
  return std::ranges::any_of(kinds, [&](char kind) {
    const auto ending = endings.find(kind);
    return ending != endings.end() && (adjective == nullptr || adjective->ends_with(ending->second));
  });
}

TEST(DemoAgreementTest, GermanDeterminersAdjectivesAndNounsAgree) {
  int checked = 0, with_adjective = 0;
  for (const auto& line : lines(Language::kGerman)) {
    const auto all = words(line);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const auto endings = adjective_endings(all[i]);
      if (endings.empty()) continue;
      if (const auto kinds = german_kinds(all[i + 1]); !kinds.empty()) {
        ++checked;
        EXPECT_TRUE(agree(endings, kinds, nullptr)) << line;
      } else if (i + 2 < all.size() && all[i + 1][0] >= 'a' && all[i + 1][0] <= 'z' &&
                 !german_kinds(all[i + 2]).empty() &&
                 (all[i + 1].ends_with('e') || all[i + 1].ends_with('n') || all[i + 1].ends_with('r') ||
                  all[i + 1].ends_with('s')) &&
                 adjective_endings(all[i + 1]).empty() &&
                 !is_one_of(all[i + 1], {"hat", "oft", "gerade", "jeden", "im", "am"})) {
        ++with_adjective;
        EXPECT_TRUE(agree(endings, german_kinds(all[i + 2]), &all[i + 1])) << line;
      }
    }
  }
  EXPECT_GT(checked, 2000);
  EXPECT_GT(with_adjective, 300);
}

TEST(DemoAgreementTest, GermanVerbsAgreeWithAPronounBeforeThem) {
  int checked = 0;
  for (const auto& line : lines(Language::kGerman)) {
    const auto all = words(line);
    const auto& verb = all[1];
    if (all[0] == "Ich") {
      ++checked;
      EXPECT_TRUE(verb.ends_with('e') || is_one_of(verb, {"bin", "mag", "weiß", "will", "kann", "muss", "soll"}))
          << line;
    } else if (all[0] == "Wir") {
      ++checked;
      EXPECT_TRUE(verb.ends_with("en") || verb == "sind") << line;
    } else if (all[0] == "Er") {
      ++checked;
      EXPECT_TRUE(verb.ends_with('t') || is_one_of(verb, {"mag", "weiß", "will", "kann", "muss", "soll", "wird"}))
          << line;
    }
  }
  EXPECT_GT(checked, 300);
}

TEST(DemoAgreementTest, GermanPrepositionsAndArticlesAreContracted) {
  int contracted = 0;
  for (const auto& line : lines(Language::kGerman)) {
    const auto all = words(line);
    for (const auto& word : all) contracted += is_one_of(word, {"im", "am", "ins", "ans", "zum", "zur"});
    for (const std::string_view apart : {"in dem", "an dem", "in das", "an das", "zu dem", "zu der"})
      for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_NE(all[i] + ' ' + all[i + 1], apart) << line;
  }
  EXPECT_GT(contracted, 100);
}

TEST(DemoAgreementTest, GermanVerbsEndSubordinateClauses) {
  int checked = 0;
  for (const auto& line : lines(Language::kGerman))
    for (const std::string_view conjunction : {", weil ", ", dass "})
      if (const auto at = line.find(conjunction); at != std::string::npos) {
        ++checked;
        EXPECT_TRUE(
            is_one_of(words(line).back(),
                      {"war",         "waren",     "bin",       "ist",      "sind",        "hat",         "haben",
                       "habe",        "mag",       "mögen",     "liebt",    "lieben",      "wird",        "werden",
                       "aufmacht",    "aufmachen", "zumacht",   "zumachen", "einschaltet", "einschalten", "ausschaltet",
                       "ausschalten", "aufräumt",  "aufräumen", "abholt",   "abholen"}))
            << line;
      }
  EXPECT_GT(checked, 500);
}

TEST(DemoAgreementTest, EnglishArticlesFitTheNextWord) {
  int an = 0;
  for (const auto& line : lines(Language::kEnglish)) {
    const auto all = words(line);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const bool vowel =
          std::string_view("aeiou").find(all[i + 1][0]) != std::string_view::npos || all[i + 1] == "hour";
      EXPECT_FALSE(vowel && is_one_of(all[i], {"a", "A"})) << line;
      EXPECT_FALSE(!vowel && is_one_of(all[i], {"an", "An"})) << line;
      an += all[i] == "an";
    }
  }
  EXPECT_GT(an, 100);
}

TEST(DemoAgreementTest, EnglishNounsHaveTheNumberOfTheirDeterminer) {
  const std::map<std::string, std::string> plurals = {
      {"dog", "dogs"},        {"child", "children"},  {"woman", "women"},   {"man", "men"},
      {"knife", "knives"},    {"box", "boxes"},       {"key", "keys"},      {"story", "stories"},
      {"apple", "apples"},    {"watch", "watches"},   {"dress", "dresses"}, {"policeman", "policemen"},
      {"tomato", "tomatoes"}, {"church", "churches"}, {"boy", "boys"}};
  std::set<std::string> singular, plural;
  for (const auto& [one, many] : plurals) {
    singular.insert(one);
    plural.insert(many);
  }
  int checked = 0;
  for (const auto& line : lines(Language::kEnglish)) {
    const auto all = words(line);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const bool many =
          is_one_of(all[i], {"two", "three", "four", "five", "ten", "many", "some", "these", "These", "Two"});
      const bool one = is_one_of(all[i], {"a", "an", "this", "This", "A"});
      if (!many && !one) continue;
      checked += (many ? plural : singular).contains(all[i + 1]);
      EXPECT_FALSE((many ? singular : plural).contains(all[i + 1])) << line;
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(DemoAgreementTest, EnglishDoIsFollowedByTheBaseOfAVerb) {
  int checked = 0;
  for (const auto& line : lines(Language::kEnglish))
    for (const std::string_view auxiliary : {"did not ", "does not ", "do not "})
      if (const auto at = line.find(auxiliary); at != std::string::npos) {
        ++checked;
        const auto verb = words(line.substr(at + auxiliary.size()))[0];
        EXPECT_FALSE(verb.ends_with("ed") && verb != "need") << line;
        EXPECT_FALSE(is_one_of(verb, {"has", "bought", "ate", "drank", "saw", "likes", "went", "sang", "swam", "ran"}))
            << line;
        EXPECT_FALSE(verb.ends_with('s') && verb != "miss") << line;
      }
  EXPECT_GT(checked, 100);
}

TEST(DemoAgreementTest, ChineseHasNoSpaceAndNoPunctuationButItsOwn) {
  ASSERT_FALSE(lines(Language::kChinese).empty());
  for (const auto& line : lines(Language::kChinese)) {
    EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) >= 128; })) << line;
    EXPECT_TRUE(line.ends_with("。") || line.ends_with("？")) << line;
    EXPECT_EQ(line.ends_with("？"), line.find("吗") != std::string::npos || line.find("什么") != std::string::npos ||
                                        line.find("谁") != std::string::npos ||
                                        line.find("多少") != std::string::npos ||
                                        line.find("哪里") != std::string::npos)
        << line;
  }
}

TEST(DemoAgreementTest, ChineseNounsHaveTheirMeasureWords) {
  const std::map<std::string, std::string> measures = {
      {"狗", "只"},   {"马", "匹"},   {"书", "本"},   {"信", "封"}, {"报纸", "份"}, {"汽车", "辆"}, {"裙子", "条"},
      {"桌子", "张"}, {"椅子", "把"}, {"衬衫", "件"}, {"歌", "首"}, {"树", "棵"},   {"花", "朵"},   {"医生", "位"},
      {"男人", "个"}, {"苹果", "个"}, {"香蕉", "根"}, {"灯", "盏"}, {"笔", "支"},   {"钥匙", "把"}, {"牛", "头"}};
  int checked = 0;
  for (const auto& line : lines(Language::kChinese))
    for (const auto& [noun, measure] : measures)
      for (const std::string number : {"一", "两", "三", "四", "五", "这", "那", "多少"})
        for (auto at = line.find(number); at != std::string::npos; at = line.find(number, at + 1)) {
          if (line.size() < at + number.size() + 3) continue;
          const auto word = line.substr(at + number.size(), 3), rest = line.substr(at + number.size() + 3);
          const auto begins = [&](std::string_view other) { return rest.starts_with(other); };
          // Longer words, and words without a measure word.
          if (!begins(noun) || begins("歌手") || begins("牛奶") || begins("花园") || begins("花瓶") || word == "些")
            continue;
          ++checked;
          EXPECT_EQ(word, measure) << line;
        }
  EXPECT_GT(checked, 800);
}

TEST(DemoAgreementTest, ChineseHasItsOwnWordForTwoThings) {
  int of_things = 0;
  for (const auto& line : lines(Language::kChinese)) {
    of_things += line.find("两") != std::string::npos;
    for (auto at = line.find("二"); at != std::string::npos; at = line.find("二", at + 1))
      EXPECT_TRUE(at >= 3 && line.compare(at - 3, 9, "十二点") == 0) << line;
  }
  EXPECT_GT(of_things, 100);
}

TEST(DemoAgreementTest, ChineseDeniesThePastWithoutLe) {
  int checked = 0;
  for (const auto& line : lines(Language::kChinese)) {
    const auto has = [&](std::string_view text) { return line.find(text) != std::string::npos; };
    if (!has("没") || has("没有") || has("因为") || has("没病")) continue;
    ++checked;
    EXPECT_FALSE(has("了")) << line;
  }
  EXPECT_GT(checked, 100);
}

TEST(DemoAgreementTest, ChineseDeniesHavingWithItsOwnWord) {
  int denied = 0;
  for (const auto& line : lines(Language::kChinese)) {
    denied += line.find("没有") != std::string::npos;
    const auto at = line.find("不有");
    if (at == std::string::npos) continue;
    EXPECT_TRUE(line.compare(at + 6, 3, "趣") == 0 || line.compare(at + 6, 3, "名") == 0) << line;
  }
  EXPECT_GT(denied, 100);
}

}  // namespace
}  // namespace gloss
