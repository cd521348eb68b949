#include "interchange/formats/foreign_tensors.h"

#include "tests/interchange/formats/foreign_bytes.h"

namespace gloss {
namespace {

TEST(ForeignTensorsTest, CountsBytesWithoutOverflow) {
  EXPECT_EQ(checked_byte_count({at::kFloat, {2, 3}}, "x"), 24u);
  EXPECT_EQ(checked_byte_count({at::kDouble, {}}, "x"), 8u);
  EXPECT_EQ(checked_byte_count({at::kFloat, {5, 0}}, "x"), 0u);
  const std::int64_t large = std::int64_t{1} << 40;
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{large, large}, {0, large, large}, {large, large, 0}})
    EXPECT_THAT(
        [&] {
          checked_byte_count({at::kFloat, shape}, "x");
        },
        refuses_model("x: shape: wanted sizes from 0 whose bytes are fewer than 2^62, got ["));
  EXPECT_THAT([] { checked_byte_count({at::kFloat, {2, -1}}, "x"); }, refuses_model("got [2, -1]"));
  EXPECT_EQ(shown_shape({at::kBFloat16, {2, 3}}), "bfloat16 [2, 3]");
}

}  // namespace
}  // namespace gloss
