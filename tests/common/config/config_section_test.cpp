#include "common/config/config_section.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Optional;
using testing::ThrowsMessage;

auto refuses(const std::string& message) { return ThrowsMessage<UsageError>(message); }

enum class Norm { kPre, kPost };
constexpr std::array<std::pair<std::string_view, Norm>, 2> kNorms = {{{"pre", Norm::kPre}, {"post", Norm::kPost}}};

// Reads `text` as the value of model.x into a T that was `value` before.
template <typename T>
T read(const std::string& text, T value = {}) {
  const auto json = parse_json(R"({"model": {"x": )" + text + "}}");
  ConfigSection whole(json, "");
  auto model = whole.section("model");
  if constexpr (std::is_enum_v<T>) {
    model.read("x", value, Choices<T>(kNorms));
  } else {
    model.read("x", value);
  }
  model.finish();
  whole.finish();
  return value;
}

TEST(ConfigSectionTest, ReadsEachType) {
  EXPECT_EQ(read<std::int64_t>("-3"), -3);
  EXPECT_EQ(read<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read<double>("2"), 2.0);
  EXPECT_EQ(read<double>("-1e-9"), -1e-9);
  EXPECT_EQ(read<bool>("true"), true);
  EXPECT_EQ(read<std::string>("\"a\""), "a");
  EXPECT_THAT(read<std::optional<bool>>("false"), Optional(false));
  EXPECT_THAT(read<std::optional<double>>("0.5"), Optional(0.5));
  EXPECT_EQ(read("\"post\"", Norm::kPre), Norm::kPost);
}

TEST(ConfigSectionTest, AbsentKeysLeaveTheDefault) {
  const auto json = parse_json("{}");
  ConfigSection whole(json, "");
  auto model = whole.section("model");
  std::int64_t number = 7;
  std::optional<double> optional;
  auto norm = Norm::kPost;
  model.read("x", number);
  model.read("y", optional);
  model.read("z", norm, Choices<Norm>(kNorms));
  EXPECT_EQ(number, 7);
  EXPECT_EQ(optional, std::nullopt);
  EXPECT_EQ(norm, Norm::kPost);
  EXPECT_FALSE(whole.has("model"));
  whole.finish();
}

TEST(ConfigSectionTest, WholeNumbersAreWhole) {
  for (const std::string bad : {"3.5", "3.0", "1e+30", "\"3\"", "null", "true", "[3]"}) {
    EXPECT_THAT([&] { read<std::int64_t>(bad); }, refuses("model.x: wanted a whole number, got " + bad));
  }
  EXPECT_THAT([] { read<std::int64_t>("9223372036854775808"); },
              refuses("model.x: wanted a whole number, got 9223372036854775808"));
}

TEST(ConfigSectionTest, OtherTypesAreStrictToo) {
  EXPECT_THAT([] { read<double>("\"1\""); }, refuses("model.x: wanted a number, got \"1\""));
  EXPECT_THAT([] { read<std::optional<double>>("null"); }, refuses("model.x: wanted a number, got null"));
  EXPECT_THAT([] { read<bool>("1"); }, refuses("model.x: wanted true or false, got 1"));
  EXPECT_THAT([] { read<std::optional<bool>>("null"); }, refuses("model.x: wanted true or false, got null"));
  EXPECT_EQ(read<std::vector<std::string>>(R"(["a", "b"])"), (std::vector<std::string>{"a", "b"}));
  for (const auto* text : {"\"a\"", "[\"a\", 1]", "{}"})
    EXPECT_THAT([&] { read<std::vector<std::string>>(text); },
                ThrowsMessage<UsageError>(HasSubstr("model.x: wanted a list of strings")));
  EXPECT_THAT([] { read<std::string>("{}"); }, refuses("model.x: wanted a string, got {}"));
  EXPECT_THAT([] { read<std::string>("\"a\\u0000b\""); }, ThrowsMessage<UsageError>(HasSubstr("a string without NUL")));
  EXPECT_THAT([] { read<Norm>("\"mid\""); }, refuses("model.x: wanted one of pre, post, got \"mid\""));
  EXPECT_THAT([] { read<Norm>("0"); }, refuses("model.x: wanted one of pre, post, got 0"));
}

TEST(ConfigSectionTest, SectionsAreObjects) {
  const auto array = parse_json("[]");
  EXPECT_THAT([&] { ConfigSection(array, ""); }, refuses("configuration: wanted an object, got []"));
  const auto json = parse_json(R"({"model": 3})");
  ConfigSection whole(json, "");
  EXPECT_THAT([&] { whole.section("model"); }, refuses("model: wanted an object, got 3"));
}

TEST(ConfigSectionTest, UnknownKeysNameTheNearest) {
  const auto finish = [](const std::string& text) {
    const auto json = parse_json(text);
    ConfigSection section(json, "model");
    std::int64_t value = 0;
    for (const auto* key : {"heads", "d_model", "encoder_layers"}) section.read(key, value);
    section.finish();
  };
  EXPECT_NO_THROW(finish(R"({"heads": 1})"));
  EXPECT_THAT([&] { finish(R"({"haeds": 1})"); }, refuses("model.haeds: unknown key; did you mean \"model.heads\"?"));
  EXPECT_THAT([&] { finish(R"({"encoder_layer": 1})"); },
              refuses("model.encoder_layer: unknown key; did you mean \"model.encoder_layers\"?"));
  EXPECT_THAT([&] { finish(R"({"color": 1})"); },
              refuses("model.color: unknown key; known here: heads, d_model, encoder_layers"));
}

TEST(ConfigSectionTest, KeysFromOutsideAreMadePrintable) {
  const auto json = parse_json("{\"a\\u001bb\": 1}");
  ConfigSection section(json, "");
  EXPECT_THAT([&] { section.finish(); }, ThrowsMessage<UsageError>(HasSubstr("a\\x1bb: unknown key")));
}

TEST(NearestNameTest, CountsEdits) {
  const std::vector<std::string> names = {"warmup_steps", "max_steps", "seed"};
  EXPECT_THAT(nearest_name("warmup_step", names), Optional(std::string("warmup_steps")));
  EXPECT_THAT(nearest_name("max_stesp", names), Optional(std::string("max_steps")));
  EXPECT_THAT(nearest_name("sed", names), Optional(std::string("seed")));
  EXPECT_EQ(nearest_name("lr", names), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), names), std::nullopt);
  EXPECT_EQ(nearest_name("seed", {}), std::nullopt);
}

TEST(NearestNameTest, IsTheNearestOfSeveralInAnyOrder) {
  for (const auto& names : {std::vector<std::string>{"beam_sizes", "beam_size"}, {"beam_size", "beam_sizes"}})
    EXPECT_THAT(nearest_name("beam_siz", names), Optional(std::string("beam_size")));
}

TEST(NearestNameTest, ASwapOfNeighborsIsOneEdit) {
  const std::vector<std::string> names = {"ab"};
  EXPECT_THAT(nearest_name("ba", names), Optional(std::string("ab")));
}

}  // namespace
}  // namespace gloss
