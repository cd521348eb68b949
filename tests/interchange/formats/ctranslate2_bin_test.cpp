#include "interchange/formats/ctranslate2_bin.h"

#include <limits>

#include "interchange/formats/packed_file.h"
#include "tests/interchange/formats/foreign_bytes.h"

namespace gloss {
namespace {

using testing::ElementsAre;

using Variables = std::vector<Ct2Variable>;
using Aliases = std::vector<std::pair<std::string, std::string>>;

Ctranslate2Bin opened(const Variables& variables, const Aliases& aliases = {}, std::uint32_t version = 6) {
  return {memory_file(ctranslate2_bytes(variables, aliases, version)), "model.bin"};
}

auto opening(const std::string& bytes) {
  return [bytes] { Ctranslate2Bin(memory_file(bytes), "model.bin"); };
}
auto opening(const Variables& variables, const Aliases& aliases = {}) {
  return opening(ctranslate2_bytes(variables, aliases));
}

const Ct2Variable kBias{"b", 0, {2}, raw(std::vector<float>{1.5F, -2})};
const Ct2Variable kMatrix{"m/weight", 1, {2, 3}, raw(std::vector<std::int8_t>{-127, 0, 1, 2, 127, 64})};
const Ct2Variable kScales{"m/weight_scale", 0, {2}, raw(std::vector<float>{127, 63.5F})};

TEST(Ctranslate2BinTest, ReadsEveryType) {
  const Variables variables{kBias,
                            {"codes", 3, {2}, raw(std::vector<std::int32_t>{1, -70000})},
                            {"half", 4, {1, 1}, raw(std::uint16_t{0x3c00})},
                            {"brain", 5, {1}, raw(std::uint16_t{0xc000})}};
  const auto file = opened(variables);
  EXPECT_EQ(file.version(), 6u);
  EXPECT_EQ(file.revision(), 7u);
  EXPECT_EQ(file.specification(), "TransformerSpec");
  EXPECT_THAT(file.names(), ElementsAre("b", "brain", "codes", "half"));
  EXPECT_EQ(file.info("b"), (ForeignTensorInfo{at::kFloat, {2}}));
  EXPECT_THAT(float_values(file, "b"), ElementsAre(1.5F, -2));
  EXPECT_THAT(float_values(file, "codes"), ElementsAre(1, -70000));
  EXPECT_THAT(float_values(file, "half"), ElementsAre(1));
  EXPECT_THAT(float_values(file, "brain"), ElementsAre(-2));
  EXPECT_FALSE(file.divisors("b").defined());
}

TEST(Ctranslate2BinTest, ScalarsAreNumbersThatKeepTheirKind) {
  const auto file = opened(
      {{"flag", 1, {}, raw(std::int8_t{1})}, {"heads", 2, {}, raw(std::int16_t{-3})}, {"scale", 0, {}, raw(1.0F)}});
  EXPECT_THAT(file.names(), ElementsAre());
  EXPECT_EQ(file.number("flag")->toLong(), 1);
  EXPECT_FALSE(file.number("flag")->isFloatingPoint());
  EXPECT_EQ(file.number("heads")->toLong(), -3);
  EXPECT_TRUE(file.number("scale")->isFloatingPoint());
  EXPECT_FALSE(file.number("other"));
}

TEST(Ctranslate2BinTest, AnInt8MatrixHasADivisorForEachRow) {
  const auto file = opened({kMatrix, kScales});
  EXPECT_THAT(file.names(), ElementsAre("m/weight"));
  EXPECT_TRUE(file.info("m/weight").has_row_divisors);
  EXPECT_THAT(float_values(file, "m/weight"), ElementsAre(-1, 0, 1 / 127.0F, 2 / 63.5F, 2, 64 / 63.5F));
}

TEST(Ctranslate2BinTest, AnInt16MatrixHasOneMultiplier) {
  const Ct2Variable matrix{"m/weight", 2, {1, 2}, raw(std::vector<std::int16_t>{-1024, 512})};
  EXPECT_THAT(float_values(opened({matrix, {"m/weight_scale", 0, {}, raw(512.0F)}}), "m/weight"), ElementsAre(-2, 1));
  EXPECT_THAT(float_values(opened({matrix}), "m/weight"), ElementsAre(-1.024F, 0.512F)) << "as version 1 wrote it";
}

TEST(Ctranslate2BinTest, AliasesHaveTheValuesAndScalesOfTheirVariable) {
  const auto file = opened({kMatrix, kScales}, {{"a/weight", "m/weight"}, {"b/weight", "a/weight"}});
  EXPECT_THAT(file.names(), ElementsAre("a/weight", "b/weight", "m/weight"));
  EXPECT_EQ(file.original("b/weight"), "m/weight");
  EXPECT_EQ(float_values(file, "b/weight"), float_values(file, "m/weight"));
}

TEST(Ctranslate2BinTest, ReadsOlderVersions) {
  const Ct2Variable text{"unk_token", 1, {3}, "UNK"}, flag{"with_source_eos", 1, {}, raw(std::int8_t{1})};
  for (const std::uint32_t version : {2, 3, 4, 5}) {
    const auto file = opened({kBias, text, flag}, {}, version);
    EXPECT_EQ(file.version(), version);
    EXPECT_THAT(float_values(file, "b"), ElementsAre(1.5F, -2));
    EXPECT_EQ(file.text("unk_token"), "UNK");
    EXPECT_FALSE(file.text("b"));
    EXPECT_EQ(file.number("with_source_eos")->toLong(), 1);
  }
  for (const std::uint32_t version : {0, 1, 7})
    EXPECT_THAT(
        opening(ctranslate2_bytes({kBias}, {}, version)),
        refuses_model("wanted a model.bin of CTranslate2, version 2 to 6, got version " + std::to_string(version)));
  EXPECT_THAT(opening("{\"a\": 1}"), refuses_model("version 2 to 6, got a JSON text"));
}

TEST(Ctranslate2BinTest, EveryCutIsRefused) {
  const auto whole = ctranslate2_bytes({kBias, kMatrix, kScales}, {{"a/weight", "m/weight"}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(opening(whole.substr(0, size)), refuses_model("cut short or damaged")) << size;
  EXPECT_THAT(opening(whole + 'x'), refuses_model("got 1 bytes more"));
}

TEST(Ctranslate2BinTest, RefusesWhatCannotBe) {
  EXPECT_THAT(opening({{"b", 0, {3}, raw(std::vector<float>{1, 2})}}),
              refuses_model("wanted 12 bytes for float32 [3]"));
  EXPECT_THAT(opening({{"b", 0, {0}, ""}}), refuses_model("wanted sizes from 1, got 0"));
  EXPECT_THAT(opening({{"b", 0, {1U << 31, 1U << 31, 1U << 31}, ""}}), refuses_model("variable b"));
  EXPECT_THAT(opening({{"b", 0, std::vector<std::uint32_t>(9, 1), raw(1.0F)}}), refuses_model("at most 8 dimensions"));
  EXPECT_THAT(opening({kBias, kBias}), refuses_model("wanted each name once"));
  EXPECT_THAT(opening({{"a b", 0, {1}, raw(1.0F)}}), refuses_model("printable ASCII"));
  EXPECT_THAT(opening({{std::string("a\0b", 3), 0, {1}, raw(1.0F)}}), refuses_model("wanted one NUL"));
  EXPECT_THAT(opening({kBias}, {{"a", "c"}}), refuses_model("alias a: wanted a new name of a variable, got one of c"));
  EXPECT_THAT(opening({kBias}, {{"b", "b"}}), refuses_model("alias b"));
  auto type = ctranslate2_bytes({kBias});
  type.at(type.size() - 4 - kBias.data.size() - 4 - 1) = 9;  // before its size, its bytes and the number of aliases
  EXPECT_THAT(opening(type), refuses_model("wanted a type of CTranslate2, got number 9"));
}

TEST(Ctranslate2BinTest, RefusesScalesThatAreNone) {
  const auto with = [](const std::vector<float>& scales) {
    return Variables{kMatrix, {"m/weight_scale", 0, {static_cast<std::uint32_t>(scales.size())}, raw(scales)}};
  };
  EXPECT_THAT(opening(with({1, 2, 3})), refuses_model("wanted float32, one or one for each row"));
  for (const float bad : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), 1e-38F}) {
    const auto file = opened(with({1, bad}));
    EXPECT_THAT([&] { file.divisors("m/weight"); }, refuses_model("wanted positive numbers")) << bad;
    EXPECT_THAT(opening({{"m/weight", 2, {1, 1}, "xx"}, {"m/weight_scale", 0, {}, raw(bad)}}),
                refuses_model("wanted a positive scale"));
  }
}

}  // namespace
}  // namespace gloss
