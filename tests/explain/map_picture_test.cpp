#include "explain/map_picture.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two heads, two target pieces and two source pieces.
Json item() {
  const auto pieces = [](const char* first, const char* second) {
    return Json{{"pieces", Json::array({{{"piece", first}}, {{"piece", second}}})}};
  };
  return {
      {"source", pieces("<b>&", "</s>")},
      {"target", pieces("Hund", "</s>")},
      {"maps", Json::array({{{"part", "decoder.1.cross"},
                             {"side", "decoder"},
                             {"kind", "cross"},
                             {"weights", {{"shape", {2, 2, 2}}, {"values", {1, 0, 0.25, 0.75, 0, 1, 0.5, 0.5}}}}}})}};
}

TEST(MapPictureTest, AHeadShowsItsWeightsAndASublayerTheirMean) {
  const auto head = map_picture(item(), "decoder.1.cross.1"), mean = map_picture(item(), "decoder.1.cross");
  EXPECT_THAT(head, HasSubstr(">1.00</text>"));
  EXPECT_THAT(head, Not(HasSubstr(">0.38</text>")));
  EXPECT_THAT(mean, HasSubstr(">0.38</text>"));  // (0.25 + 0.5) / 2
  EXPECT_THAT(mean, HasSubstr(">0.62</text>"));
}

TEST(MapPictureTest, PiecesAreTextAndNoMarkup) {
  const auto picture = map_picture(item(), "decoder.1.cross.0");
  EXPECT_THAT(picture, HasSubstr("&lt;b&gt;&amp;"));
  EXPECT_THAT(picture, Not(HasSubstr("<b>")));
}

TEST(MapPictureTest, AnUnknownPartIsRefusedWithThoseThatThereAre) {
  for (const auto* part : {"decoder.1.cross.2", "decoder.0.cross", "", "decoder.1.cross.", "decoder.1.cross.00"}) {
    try {
      map_picture(item(), part);
      FAIL() << part;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("decoder.1.cross"));
    }
  }
}

}  // namespace
}  // namespace gloss
