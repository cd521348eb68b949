#include "explain/page.h"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The payload of a page as its script unpacks it.
struct Unpacked {
  Json document;
  std::string bytes;

  explicit Unpacked(const std::string& page) {
    const std::string open = "type=\"application/octet-stream\">";
    const auto begin = page.find(open) + open.size();
    const auto text = page.substr(begin, page.find("</script>", begin) - begin);
    std::string packed(text.size() / 4 * 3 + 3, '\0');
    const auto size =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(packed.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    std::string content(1 << 20, '\0');
    uLongf length = content.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(content.data()), &length,
                         reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(size)),
              Z_OK);
    std::size_t json = 0;
    for (std::size_t i = 0; i < 4; ++i) json |= std::size_t{static_cast<std::uint8_t>(content[i])} << (8 * i);
    document = Json::parse(content.substr(4, json));
    bytes = content.substr(4 + json, length - 4 - json);
  }

  double at(const Json& array, std::size_t index) const {
    return array.at("min").get<double>() +
           array.at("scale").get<double>() *
               static_cast<std::uint8_t>(bytes.at(array.at("at").get<std::size_t>() + index));
  }
};

Json weights(std::vector<double> values) { return {{"shape", {1, 2, values.size() / 2}}, {"values", values}}; }

TEST(PageTest, MapsComeBackToTheNearestOf256Values) {
  const Json document{{"maps", Json::array({{{"weights", weights({0, 0.25, 0.5, 1, 0.1, 0.9})}},
                                            {{"weights", weights({-1, 3, 0, 0, 2, 1})}}})}};
  const Unpacked page(explanation_page(document, "t"));
  for (std::size_t map = 0; map < 2; ++map) {
    const auto& before = document["maps"][map]["weights"]["values"];
    const auto& after = page.document["maps"][map]["weights"];
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_NEAR(page.at(after, i), before[i].get<double>(), after.at("scale").get<double>() / 2 + 1e-9);
  }
}

TEST(PageTest, OtherNumbersKeepFiveDigitsAfterThePoint) {
  const Json document{{"logits", {{"shape", {2}}, {"values", {-1.234567, 1e-7}}}}, {"loss", 0.123456789}};
  const Unpacked page(explanation_page(document, "t"));
  EXPECT_EQ(page.document["logits"]["values"], Json({-1.23457, 0.0}));
  EXPECT_EQ(page.document["loss"], 0.123456789);
}

TEST(PageTest, WideVectorsBecomeMeansOfNeighborsButPositionsStay) {
  Json::array_t values;
  for (int i = 0; i < 2 * 300; ++i) values.push_back(i % 3);
  const Json array{{"shape", {2, 300}}, {"values", values}};
  const Unpacked page(explanation_page({{"self", array}, {"output", array}, {"table", array}}, "t"));
  const auto& self = page.document["self"];
  EXPECT_EQ(self.at("shape"), Json({2, 100}));
  EXPECT_EQ(self.at("columns_per_value"), 3);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_NEAR(page.at(self, i), 1, 1e-9);
  EXPECT_EQ(page.document["output"].at("shape"), Json({2, 150}));
  EXPECT_EQ(page.document["table"].at("shape"), Json({2, 300}));
}

TEST(PageTest, TextsCannotLeaveTheirPlace) {
  const std::string attack = "</script><script>alert(1)</script>{{payload}}\"'";
  const auto page = explanation_page({{"text", attack}}, attack);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(Unpacked(page).document["text"], attack);
  EXPECT_THAT(page, HasSubstr("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;{{payload}}\"'</title>"));
}

TEST(PageTest, NothingIsLoadedFromElsewhere) {
  const auto page = explanation_page({{"items", Json::array()}}, "t");
  for (const auto* word : {"src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "innerHTML", "{{"})
    EXPECT_THAT(page, Not(HasSubstr(word)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(PageTest, ControlCharactersOfTheTitleAreEscaped) {
  const auto page = explanation_page(Json::object(), "a\x1b]0;x\x07\u009b\u202e<b>");
  EXPECT_THAT(page, HasSubstr("a\\x1b]0;x\\x07\\u{9b}\\u{202e}&lt;b&gt;"));
}

TEST(PageTest, ItsPolicyForbidsWhatThePageDoesNotNeed) {
  const auto page = explanation_page(Json::object(), "a");
  for (const auto* directive : {"default-src 'none'", "base-uri 'none'", "form-action 'none'"})
    EXPECT_THAT(page, HasSubstr(directive));
}

}  // namespace
}  // namespace gloss
