#include "common/unicode/unassigned_and_control.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(UnassignedAndControlTest, KnowsControlFormatPrivateAndUnassigned) {
  for (const auto character :
       {U'\0', U'\t', U'\n', U'\x1f', U'\x7f', U'\u0085', U'\u00AD', U'\u0378', U'\u061C', U'\u200B', U'\u200D',
        U'\u200E', U'\u2060', U'\uE000', U'\uFEFF', U'\uFFFF', U'\U000E0001', U'\U000F0000', U'\U0010FFFF'})
    EXPECT_TRUE(is_unassigned_or_control(character)) << static_cast<unsigned>(character);
}

TEST(UnassignedAndControlTest, OtherCharactersAreNot) {
  for (const auto character : {U' ', U'!', U'a', U'~', U'\u00A0', U'é', U'\u0301', U'Ж', U'ع', U'\u2028', U'\u2029',
                               U'\u3000', U'小', U'한', U'\uFFFD', U'\U0001F600', U'\U00020000'})
    EXPECT_FALSE(is_unassigned_or_control(character)) << static_cast<unsigned>(character);
}

}  // namespace
}  // namespace gloss
