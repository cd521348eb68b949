#include "run/config/run_file_keys.h"

#include <limits>

#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

TEST(RunFileKeysTest, ValuesAreReadByTypeOrReplaced) {
  const auto file = parse_json(R"({"seed": 3, "model": {"dropout": 0.5, "heads": 99999999999,
                                   "tie": "all", "freeze": true}})");
  const RunFileKeys keys(file);
  EXPECT_TRUE(keys.has("model"));
  EXPECT_FALSE(keys.has("model.d_ff"));
  EXPECT_FALSE(keys.has("model.dropout.rate"));
  EXPECT_FALSE(keys.has("data.hold_out"));
  EXPECT_EQ(keys.whole("seed", 7), 3);
  EXPECT_EQ(keys.number("model.dropout", 7), 0.5);
  EXPECT_EQ(keys.whole("model.dropout", 7), 7);
  EXPECT_EQ(keys.whole("model.heads", 7), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(keys.number("model.tie", 7), 7);
  EXPECT_EQ(keys.text("model.tie"), "all");
  EXPECT_EQ(keys.text("seed"), "");
  EXPECT_TRUE(keys.flag("model.freeze", false));
  EXPECT_TRUE(keys.flag("seed", true));
}

TEST(RunFileKeysTest, SettingAKeyMakesItsSections) {
  auto file = parse_json(R"({"seed": 3, "model": {"heads": 2}, "data": null})");
  const RunFileKeys keys(file);
  set_key(file, "model.heads", 4);
  set_key(file, "data.hold_out", true);
  set_key(file, "training.early_stop.patience", 5);
  set_key(file, "seed", 6);
  EXPECT_EQ(file, parse_json(R"({"seed": 6, "model": {"heads": 4}, "data": {"hold_out": true},
                                 "training": {"early_stop": {"patience": 5}}})"));
  EXPECT_EQ(keys.whole("model.heads", 0), 4);
}

TEST(RunFileKeysTest, AValueIsNoSection) {
  auto file = parse_json(R"({"model": {"heads": 2}})");
  try {
    set_key(file, "model.heads.count.deep", 1);
    FAIL() << "was set";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "model.heads.count.deep: model.heads is no section");
  }
}

}  // namespace
}  // namespace gloss
