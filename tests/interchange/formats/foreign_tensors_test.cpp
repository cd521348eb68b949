#include "interchange/formats/foreign_tensors.h"

#include <cmath>
#include <limits>

#include "tests/interchange/formats/foreign_bytes.h"

namespace gloss {
namespace {

using testing::ElementsAre;

template <typename Element>
ForeignTensor tensor(ForeignType type, const std::vector<Element>& elements, std::vector<std::int64_t> shape = {}) {
  ForeignTensor result;
  result.type = type;
  result.shape = shape.empty() ? std::vector{static_cast<std::int64_t>(elements.size())} : shape;
  result.bytes = to_bytes(raw(elements));
  return result;
}

TEST(ForeignTensorsTest, ConvertsEveryType) {
  EXPECT_THAT(float_values(tensor<float>(ForeignType::kF32, {1.5F, -2})), ElementsAre(1.5F, -2));
  EXPECT_THAT(float_values(tensor<double>(ForeignType::kF64, {1.5, -2})), ElementsAre(1.5F, -2));
  EXPECT_THAT(float_values(tensor<std::int8_t>(ForeignType::kI8, {-128, 127})), ElementsAre(-128, 127));
  EXPECT_THAT(float_values(tensor<std::uint8_t>(ForeignType::kU8, {0, 255})), ElementsAre(0, 255));
  EXPECT_THAT(float_values(tensor<std::int16_t>(ForeignType::kI16, {-300})), ElementsAre(-300));
  EXPECT_THAT(float_values(tensor<std::int32_t>(ForeignType::kI32, {-70'000})), ElementsAre(-70'000));
  EXPECT_THAT(float_values(tensor<std::uint32_t>(ForeignType::kU32, {4'000'000'000})), ElementsAre(4e9F));
  EXPECT_THAT(float_values(tensor<std::int64_t>(ForeignType::kI64, {-7})), ElementsAre(-7));
  EXPECT_THAT(float_values(tensor<std::uint16_t>(ForeignType::kBF16, {0x3f80, 0xc000})), ElementsAre(1, -2));
}

// Values of IEEE 754-2019, table 3.5, and of Wikipedia's article on half precision.
TEST(ForeignTensorsTest, ConvertsHalfPrecision) {
  const auto values =
      float_values(tensor<std::uint16_t>(ForeignType::kF16, {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3555, 0x3c00,
                                                             0x3c01, 0xc000, 0x7bff, 0x7c00, 0xfc00, 0x7e00}));
  EXPECT_THAT(
      std::vector<float>(values.begin(), values.begin() + 10),
      ElementsAre(0, -0.0F, 5.9604645e-8F, 6.0975552e-5F, 6.1035156e-5F, 0.33325195F, 1, 1.00097656F, -2, 65504));
  EXPECT_TRUE(std::signbit(values[1]));
  EXPECT_EQ(values[10], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[11], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values[12]));
}

TEST(ForeignTensorsTest, DividesByTheMultiplierAndTransposesBack) {
  auto weight = tensor<std::int8_t>(ForeignType::kI8, {1, 2, 3, 4, 5, 6}, {2, 3});
  weight.quantized = true;
  weight.multiplier = 2;
  EXPECT_THAT(float_values(weight), ElementsAre(0.5F, 1, 1.5F, 2, 2.5F, 3));
  weight.transposed = true;  // stored as [3, 2]: 1 2, 3 4, 5 6
  EXPECT_THAT(float_values(weight), ElementsAre(0.5F, 1.5F, 2.5F, 1, 2, 3));
}

TEST(ForeignTensorsTest, CountsBytesWithoutOverflow) {
  EXPECT_EQ(checked_byte_count({ForeignType::kF32, {2, 3}}, "x"), 24u);
  EXPECT_EQ(checked_byte_count({ForeignType::kF64, {}}, "x"), 8u);
  EXPECT_EQ(checked_byte_count({ForeignType::kF32, {5, 0}}, "x"), 0u);
  const std::int64_t large = std::int64_t{1} << 40;
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{large, large}, {0, large, large}, {large, large, 0}})
    EXPECT_THAT(
        [&] {
          checked_byte_count({ForeignType::kF32, shape}, "x");
        },
        refuses_model("x: shape: wanted sizes from 0 whose bytes are fewer than 2^62, got ["));
  EXPECT_THAT([] { checked_byte_count({ForeignType::kF32, {2, -1}}, "x"); }, refuses_model("got [2, -1]"));
  EXPECT_EQ(shown_shape({ForeignType::kBF16, {2, 3}}), "bfloat16 [2, 3]");
}

}  // namespace
}  // namespace gloss
