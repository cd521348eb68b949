#include "data/data_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/settings.h"
#include "common/error.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

DataConfig read(const std::string& text) {
  const auto json = parse_json(text);
  auto config = read_data_config(ConfigSection(json, "data"));
  config.validate();
  return config;
}

TEST(DataConfigTest, DefaultsApplyToMissingKeys) {
  EXPECT_EQ(read("{}").max_length, 256);
  EXPECT_EQ(read("{}").batch_tokens, 4096);
}

TEST(DataConfigTest, EveryKeyComesBack) {
  const auto json = parse_json(R"({"train_source": "a", "train_target": "b", "train_alignment": "",
                                   "valid_source": "c", "valid_target": "d",
                                   "test_source": "e", "test_target": "f", "max_length": 7, "batch_tokens": 9,
                                   "hold_out": false, "stages": [], "max_ratio": 9.5, "skip_copied": true, "skip_repeated": true, "source_language": "en", "target_language": "pt-BR",
                                   "subword_sampling": 0.1, "augment_upper_case": 0.1, "augment_title_case": 0.2,
                                   "augment_lower_case": 0.3, "augment_no_end_mark": 0.4, "augment_typos": 0.5,
                                   "augment_placeholders": 0.6})");
  EXPECT_EQ(to_json(read(to_text(json))), json);
  EXPECT_EQ(to_json(read(R"({"hold_out": true})")).at("hold_out"), true);
  const auto aligned = R"({"train_source": "a", "train_target": "b", "train_alignment": "c"})";
  EXPECT_EQ(to_json(read(aligned)).at("train_alignment"), "c");
}

TEST(DataConfigTest, LanguagesMayHaveUnderscores) {
  const auto config = read(R"({"source_language": "eng_Latn", "target_language": "zho_Hans"})");
  EXPECT_EQ(config.source_language, "eng-Latn");
  EXPECT_EQ(config.target_language, "zho-Hans");
}

TEST(DataConfigTest, FiltersAreOffByDefaultAndPartOfTheIdentity) {
  const auto off = data_settings().identity(DataConfig());
  EXPECT_FALSE(read("{}").repeated_pairs());
  for (const auto& [key, value] : {std::pair("max_ratio", Json(1)), std::pair("skip_copied", Json(true)),
                                   std::pair("skip_repeated", Json(true))}) {
    EXPECT_FALSE(off.contains(key)) << key;
    EXPECT_EQ(data_settings().identity(read(to_text(Json{{key, value}}))).at(key), value);
  }
}

TEST(DataConfigTest, AugmentationIsOffByDefaultAndPartOfTheIdentity) {
  EXPECT_FALSE(read("{}").augmentation.is_on());
  const auto off = data_settings().identity(DataConfig());
  for (const auto* key : {"augment_upper_case", "augment_title_case", "augment_lower_case", "augment_no_end_mark",
                          "augment_typos", "augment_placeholders"}) {
    EXPECT_FALSE(off.contains(key)) << key;
    const auto config = read(to_text(Json{{key, 0.25}}));
    EXPECT_TRUE(config.augmentation.is_on()) << key;
    EXPECT_EQ(data_settings().identity(config).at(key), 0.25);
  }
}

TEST(DataConfigTest, RepetitionsAreFoundInTheTrainingTexts) {
  auto one = read(R"({"train_source": "a", "train_target": "b", "skip_repeated": true})").repeated_pairs();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->judge(0, "x", "y"), PairVerdict::kUsable);
  EXPECT_EQ(one->judge(0, "x", "y"), PairVerdict::kRepeated);
}

TEST(DataConfigTest, WrongValuesAreNamed) {
  for (const auto& [text, message] :
       {std::pair(R"({"batch_tokens": 0})", "data.batch_tokens: wanted a whole number from 1 to 1000000000, got 0"),
        std::pair(R"({"batch_tokens": 2000000000})", "data.batch_tokens"),
        std::pair(R"({"max_length": 1})", "data.max_length: wanted a whole number from 2 to 1000000, got 1"),
        std::pair(R"({"max_length": 1000001})", "data.max_length"),
        std::pair(R"({"max_ratio": 0.5})", "data.max_ratio: wanted 0, or 1 to 1000, got 0.5"),
        std::pair(R"({"max_ratio": -1})", "data.max_ratio: wanted 0, or 1 to 1000, got -1"),
        std::pair(R"({"max_ratio": 1000.5})", "data.max_ratio: wanted 0, or 1 to 1000, got 1000.5"),
        std::pair(R"({"skip_copied": 1})", "data.skip_copied: wanted true or false, got 1"),
        std::pair(R"({"subword_sampling": -0.1})", "data.subword_sampling: wanted a number from 0 to 1, got -0.1"),
        std::pair(R"({"subword_sampling": 1.1})", "data.subword_sampling"),
        std::pair(R"({"augment_typos": 1.1})", "data.augment_typos: wanted a number from 0 to 1, got 1.1"),
        std::pair(R"({"augment_upper_case": 0.5, "augment_title_case": 0.3, "augment_lower_case": 0.3})",
                  "data.augment_upper_case: wanted a sum of at most 1"),
        std::pair(R"({"augment_title_case": 0.5, "target_language": "tr-TR"})",
                  "data.augment_upper_case: wanted 0, as data.augment_title_case and data.augment_lower_case, since "
                  "the upper case of i in tr-TR is not I"),
        std::pair(R"({"train_source": "a"})", "data.train_target: wanted a file"),
        std::pair(R"({"valid_source": "a"})", "data.valid_target: wanted a file"),
        std::pair(R"({"test_target": "a"})", "data.test_source: wanted a file"),
        std::pair(R"({"valid_source": "a", "valid_target": "b", "hold_out": true})", "data.hold_out: wanted false"),
        std::pair(R"({"source_language": "english language"})", "data.source_language: wanted a language tag"),
        std::pair(R"({"target_language": "-"})", "data.target_language: wanted a language tag"),
        std::pair(R"({"batch_size": 1})", "data.batch_size: unknown key")})
    EXPECT_THAT([text = text] { read(text); }, ThrowsMessage<UsageError>(HasSubstr(message)));
}

}  // namespace
}  // namespace gloss
