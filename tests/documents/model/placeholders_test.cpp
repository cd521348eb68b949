#include "documents/model/placeholders.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Placeholder::Kind;

std::vector<std::string> found(std::string_view text) {
  std::vector<std::string> result;
  for (const auto& placeholder : find_placeholders(text)) result.emplace_back(placeholder.span.of(text));
  return result;
}

TEST(Placeholders, FormatsOfPrintf) {
  EXPECT_THAT(found("%s of %d (%1$s, %-5.2lf, %(count)d, %@, %%)"),
              ElementsAre("%s", "%d", "%1$s", "%-5.2lf", "%(count)d", "%@", "%%"));
  EXPECT_THAT(found("%{name} and %<id>s"), ElementsAre("%{name}", "%<id>s"));
  EXPECT_THAT(found("%1 of %2, %L3 and %n, %(a)r, 3 %(count)d dogs, 3 %d"),
              ElementsAre("%1", "%2", "%L3", "%n", "%(a)r", "%(count)d", "%d"));
  EXPECT_THAT(found("Command %1. Found %1.%2.%3, %1ms, a%2%1 (%5.2f), %.f"),
              ElementsAre("%1", "%1", "%2", "%3", "%1", "%2", "%1", "%5.2f", "%.f"));
  EXPECT_THAT(found("%4$b, %1$tY and %2$TH"), ElementsAre("%4$b", "%1$tY", "%2$TH"));
  EXPECT_THAT(found("%A, %-d. %B %Y, %H:%M, %m/%d/%y; %Yes, %May"),
              ElementsAre("%A", "%-d", "%B", "%Y", "%H", "%M", "%m", "%d", "%y"));
  EXPECT_THAT(found("100% sure, 5 % of all, 20%discount, %discount"), ElementsAre("100%", "5 %", "20%"));
}

TEST(Placeholders, NamesInBraces) {
  EXPECT_THAT(found("Hi {name}, {0} {{user.name}} #{x} ${y} {% if a %}"),
              ElementsAre("{name}", "{0}", "{{user.name}}", "#{x}", "${y}", "{% if a %}"));
  EXPECT_THAT(found("{n, plural, one {# file} other {# files}} left"),
              ElementsAre("{n, plural, one {# file} other {# files}}"));
  EXPECT_THAT(found("{}th of {}"), ElementsAre("{}", "{}"));
  EXPECT_THAT(found("the set {a b} and {"), IsEmpty());
}

TEST(Placeholders, OfDollars) {
  EXPECT_THAT(found("$name$ $t(key) $user costs $5 or 5$"), ElementsAre("$name$", "$t(key)", "$user", "$5", "5$"));
  EXPECT_THAT(found("Ke$ha and A$AP"), IsEmpty());
}

TEST(Placeholders, Tags) {
  const auto tags = find_placeholders("a <b>c</b> <br/> <0>d</0> <1/> <a href=\"x>y\">");
  std::vector<Kind> kinds;
  for (const auto& tag : tags) kinds.push_back(tag.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::kOpening, Kind::kClosing, Kind::kMark, Kind::kOpening, Kind::kClosing,
                                 Kind::kCode, Kind::kOpening));
  EXPECT_THAT(found("a < b and c > d, i <3 you, <"), IsEmpty());
}

TEST(Placeholders, AddressesAndUrls) {
  EXPECT_THAT(found("See https://example.org/a_(b)?q=1&r=2. Or (www.example.org/x), mail me@example.co.uk!"),
              ElementsAre("https://example.org/a_(b)?q=1&r=2", "www.example.org/x", "me@example.co.uk"));
  EXPECT_THAT(found("with \u201chttps://\u201d or \u201chttps://a.org/b\u201d, \u00abwww.a.org\u00bb，https://a.org。"),
              ElementsAre("https://a.org/b", "www.a.org", "https://a.org"));
  EXPECT_THAT(found("_http://a.org_, -http://b.org &quot;http://c.org&quot; http://d.org/?x&amp;y"),
              ElementsAre("http://a.org", "http://b.org", "&quot;", "http://c.org", "&quot;", "http://d.org/?x&amp;y"));
  EXPECT_THAT(found("a@b, www. and http:// alone"), IsEmpty());
}

TEST(Placeholders, EmojiWithTheirModifiers) {
  EXPECT_THAT(found("ok 👍🏽 👩‍👩‍👧 🇩🇪 ❤️!"),
              ElementsAre("👍🏽", "👩‍👩‍👧", "🇩🇪", "❤️"));
  EXPECT_THAT(found("at ⏰ or ⌛, ▶️ ↔️ ™️ 1️⃣ #️⃣ 1 #"),
              ElementsAre("⏰", "⌛", "▶️", "↔️", "™️", "1️⃣", "#️⃣"));
}

TEST(Placeholders, SignsThatVocabulariesLack) {
  const auto signs = find_placeholders("© 2024, 3 × 4 → x, “a” – b… ¿c?");
  for (const auto& sign : signs) EXPECT_EQ(sign.kind, Kind::kSign);
  EXPECT_THAT(found("© 2024, 3 × 4 → x, “a” – b… ¿c?"), ElementsAre("©", "×", "→"));
}

TEST(Placeholders, Quantities) {
  const auto quantities = find_placeholders("5 km in 1,000.50 € at 20 °C");
  for (const auto& quantity : quantities) EXPECT_EQ(quantity.kind, Kind::kQuantity);
  EXPECT_THAT(found("5 km in 1,000.50 € at 20 °C, US$20, 3.5GHz, 50%"),
              ElementsAre("5 km", "1,000.50 €", "20 °C", "US$20", "3.5GHz", "50%"));
  EXPECT_THAT(found("10 000 €, 1 234 567 km, 5-10 km, 5–10 km, 1.234,5 kg, 5 s, 2.5 h"),
              ElementsAre("10 000 €", "1 234 567 km", "5-10 km", "5–10 km", "1.234,5 kg", "5 s", "2.5 h"));
  EXPECT_THAT(found("5 men in 2024 on page 3. They in the 1980s and 60s"), IsEmpty());
}

TEST(Placeholders, Entities) { EXPECT_THAT(found("A&nbsp;B &#8211; C&D; R&D"), ElementsAre("&nbsp;", "&#8211;")); }

TEST(Placeholders, OfHostileTextTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "{<a $%(&"[i % 8];
  for (int i = 0; i < 100'000; ++i) text += "a.b@";
  for (int i = 0; i < 200'000; ++i) text += "1.,"[i % 3];
  text += " http://a" + std::string(200'000, ')');
  EXPECT_EQ(found(text).back(), "http://a");
}

TEST(ListMarkLength, IsThatOfTheMarkAndItsSpace) {
  for (const std::string mark :
       {"- ", "• ", "* ", "– ", "2. ", "12.  ", "1.2. ", "3) ", "(a) ", "(iv) ", "iv) ", "b) ", "(10)\t"})
    EXPECT_EQ(list_mark_length(mark + "Text"), mark.size()) << mark;
  for (const auto* text : {"-x", "- ", "2.", "2.5 km", "2010. Text", "a. text", "z. B. Text", "A. Smith", "ab) text",
                           "(see) text", "(a text", "()", ") text", "-5 °C", "2 dogs", "(2. text", "", "dogs"})
    EXPECT_EQ(list_mark_length(text), 0u) << text;
}

}  // namespace
}  // namespace gloss
