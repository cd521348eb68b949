#include "common/config/settings.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/settings_table.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Throws;
using testing::ThrowsMessage;

enum class Taste { kSweet, kSalty };
constexpr std::array kTastes = {std::pair{std::string_view("sweet"), Taste::kSweet},
                                std::pair{std::string_view("salty"), Taste::kSalty}};

struct Oven {
  bool on = false;
  std::int64_t degrees = 180;
};

struct Cake {
  std::int64_t layers = 2;
  double sugar = 0.5;
  std::optional<double> salt = {};
  Taste taste = Taste::kSweet;
  std::string recipe = {};
  Oven oven = {};

  double salt_or_default() const { return salt.value_or(sugar / 10); }
};

const Settings<Cake>& settings() {
  static const Settings<Cake> settings(
      "cake",
      {{field(&Cake::layers), {.key = "layers", .help = "layers of dough", .range = between(1, 9), .flag = "--layers"}},
       {field(&Cake::sugar), {.key = "sugar", .help = "share of sugar", .range = above(0, 1)}},
       {field(&Cake::salt).writing([](const Cake& cake) { return cake.salt_or_default(); }),
        {.key = "salt",
         .help = "share of salt",
         .range = from_below(0, 1),
         .shown_default = "a tenth of `sugar`",
         .identity = Identity::kNever}},
       {choice_field(&Cake::taste, kTastes),
        {.key = "taste", .help = "kind of cake", .identity = Identity::kUnlessDefault}},
       {path_field(&Cake::recipe), {.key = "recipe", .help = "file of the recipe"}},
       {field(&Cake::oven, &Oven::on), {.key = "oven.on", .help = "bakes", .flag = "--bake", .off_flag = "--no-bake"}},
       {field(&Cake::oven, &Oven::degrees),
        {.key = "oven.degrees", .help = "heat", .range = at_least(0), .only_with = "oven.on"}}});
  return settings;
}

Cake read(const Json& json, Cake cake = {}) { return settings().read(ConfigSection(json, "cake"), std::move(cake)); }

auto refuses(const std::string& message) { return ThrowsMessage<UsageError>(HasSubstr(message)); }

TEST(SettingsTest, ReadsEachKeyIntoItsMember) {
  const auto cake = read({{"layers", 3}, {"taste", "salty"}, {"salt", 0.25}, {"oven", {{"degrees", 200}}}});
  EXPECT_EQ(cake.layers, 3);
  EXPECT_EQ(cake.taste, Taste::kSalty);
  EXPECT_EQ(cake.salt, 0.25);
  EXPECT_EQ(cake.oven.degrees, 200);
  EXPECT_FALSE(cake.oven.on);
}

TEST(SettingsTest, KeysThatAreAbsentKeepTheirValues) {
  Cake cake{.layers = 7};
  cake.oven.on = true;
  cake = read({{"sugar", 0.1}, {"oven", {{"degrees", 90}}}}, cake);
  EXPECT_EQ(cake.layers, 7);
  EXPECT_TRUE(cake.oven.on);
}

TEST(SettingsTest, WritesWhatItReadsWithTheDefaultsThatFollowFromOtherKeys) {
  const Json all = {{"layers", 3},      {"sugar", 0.5},      {"salt", 0.25},
                    {"taste", "salty"}, {"recipe", "r.txt"}, {"oven", {{"on", true}, {"degrees", 200}}}};
  EXPECT_EQ(settings().to_json(read(all)), all);
  EXPECT_EQ(settings().to_json(read({{"sugar", 0.5}})).at("salt"), 0.05);
  EXPECT_FALSE(settings().to_portable_json(read(all)).contains("recipe"));
}

TEST(SettingsTest, UnknownKeysAndWrongTypesAreNamed) {
  EXPECT_THAT([] { read({{"layer", 1}}); }, refuses("cake.layer: unknown key; did you mean \"cake.layers\"?"));
  EXPECT_THAT([] { read({{"oven", {{"heat", 1}}}}); }, refuses("cake.oven.heat: unknown key"));
  EXPECT_THAT([] { read({{"layers", 1.5}}); }, refuses("cake.layers: wanted a whole number, got 1.5"));
  EXPECT_THAT([] { read({{"taste", "sour"}}); }, refuses("cake.taste: wanted one of sweet, salty, got \"sour\""));
}

TEST(SettingsTest, RangesAreNamedByKey) {
  const auto validate = [](const Json& json) { settings().validate(read(json)); };
  EXPECT_NO_THROW(validate({{"layers", 9}, {"sugar", 1}, {"salt", 0}}));
  EXPECT_THAT([&] { validate({{"layers", 10}}); }, refuses("cake.layers: wanted a whole number from 1 to 9, got 10"));
  EXPECT_THAT([&] { validate({{"sugar", 0}}); }, refuses("cake.sugar: wanted a number above 0, at most 1, got 0.0"));
  EXPECT_THAT([&] { validate({{"salt", 1}}); }, refuses("cake.salt: wanted a number from 0 to below 1, got 1.0"));
  EXPECT_THAT([&] { validate({{"oven", {{"degrees", -1}}}}); }, refuses("cake.oven.degrees: wanted 0 or more, got -1"));
}

TEST(SettingsTest, TheIdentityLeavesOutPathsDefaultsAndWhatMayChange) {
  const Json usual = {{"layers", 2}, {"sugar", 0.5}, {"oven", {{"on", false}, {"degrees", 180}}}};
  EXPECT_EQ(settings().identity(Cake{}), usual);
  EXPECT_EQ(settings().identity(read({{"salt", 0.3}, {"recipe", "r"}})), usual);
  EXPECT_EQ(settings().identity(read({{"taste", "salty"}})).at("taste"), "salty");
}

TEST(SettingsTest, ASettingWithoutItsSwitchHasNoEffect) {
  const Json given = {{"oven", {{"degrees", 180}}}};
  const auto* const idle = settings().without_effect(given, Cake{});
  ASSERT_NE(idle, nullptr);
  EXPECT_EQ(idle->name(), "cake.oven.degrees");
  EXPECT_EQ(settings().without_effect(given, Cake{.oven = {.on = true}}), nullptr);
  EXPECT_EQ(settings().without_effect(Json::object(), Cake{}), nullptr);
}

TEST(SettingsTest, PathsAreTheKeysThatNameFiles) {
  Cake cake;
  EXPECT_THAT(settings().paths(cake),
              ElementsAre(AllOf(Field(&PathKey::key, "cake.recipe"), Field(&PathKey::path, &cake.recipe))));
}

TEST(SettingsTest, TheTextOfAnOptionBecomesAValue) {
  const auto value = [](std::string_view key, const std::string& text) {
    return parse_value(settings().at(key), text);
  };
  EXPECT_EQ(value("layers", "9"), 9);
  EXPECT_EQ(value("sugar", "1e-3"), 0.001);
  EXPECT_EQ(value("taste", "salty"), "salty");
  for (const auto* text : {"", "0", "10", "1.0", "0x1", "1 ", "99999999999999999999"})
    EXPECT_THAT([&] { value("layers", text); }, ThrowsMessage<std::invalid_argument>("a whole number from 1 to 9"));
  for (const auto* text : {"0", "nan", "inf", "1.1", "x"})
    EXPECT_THAT([&] { value("sugar", text); }, ThrowsMessage<std::invalid_argument>("a number above 0, at most 1"));
  EXPECT_THAT([&] { value("taste", "sour"); }, ThrowsMessage<std::invalid_argument>("one of sweet, salty"));
  EXPECT_THROW(settings().at("color"), std::out_of_range);
}

TEST(SettingsTableTest, HasARowForEachKey) {
  EXPECT_EQ(settings_table(settings().list()),
            "| key | default | values | option | effect | meaning |\n"
            "|---|---|---|---|---|---|\n"
            "| `layers` | 2 | 1 to 9 | `--layers` | | layers of dough |\n"
            "| `sugar` | 0.5 | above 0, at most 1 | | | share of sugar |\n"
            "| `salt` | a tenth of `sugar` | 0 to below 1 | | | share of salt |\n"
            "| `taste` | `\"sweet\"` | `sweet`, `salty` | | | kind of cake |\n"
            "| `recipe` | `\"\"` | a file | | | file of the recipe |\n"
            "| `oven.on` | `false` | true or false | `--bake`, `--no-bake` | | bakes |\n"
            "| `oven.degrees` | 180 | 0 or more | | with `oven.on` | heat |\n");
}

}  // namespace
}  // namespace gloss
